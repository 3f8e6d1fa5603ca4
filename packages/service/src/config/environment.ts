import type { Environment } from './load.ts';

/** The environment of this process; read nowhere else. */
export function processEnvironment(): Environment {
  return process.env;
}
