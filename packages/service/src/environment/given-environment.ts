import type { Environment } from '../config/environment.ts';

/** The environment that this process was given, for who starts another program in its own place and passes it on as it is. */
export function givenEnvironment(): Environment {
  return { ...process.env };
}
