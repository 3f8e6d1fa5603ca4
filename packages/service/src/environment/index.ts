// Loaded before everything else by programs that hold credentials, so it needs nothing but Node.

import type { Environment } from '../config/environment.ts';
import { isSecretName } from '../config/secrets.ts';
import { eraseStartEnvironment } from './erase.ts';
import { withSettingsFile } from './settings-file.ts';

export { isDebugged, refuseDebugger } from './debugger.ts';
export { givenEnvironment } from './given-environment.ts';
export { closeInheritedDescriptors } from './inherited.ts';
export { loadProgram } from './load-program.ts';

/**
 * The settings of this process: its environment and the file that `ESCAPEMENT_SETTINGS_FILE` names. From then on nobody
 * finds them outside: the variables of Escapement and the secrets of tasks are gone from `process.env`, and the kernel
 * shows an empty environment of this process (on Linux). Called once, first of all. Where the file cannot be read it says
 * so on standard error and ends the process with code 2.
 */
export function takeEnvironment(): Environment {
  const started: Environment = { ...process.env };
  const env = orExit(() => withSettingsFile(started));
  for (const name of Object.keys(started)) delete process.env[name];
  eraseStartEnvironment();
  const isPrivate = privateNames(env);
  for (const [name, value] of Object.entries(started)) if (!isPrivate(name)) process.env[name] = value;
  return env;
}

/** Whether a variable is for Escapement alone: its own settings, and what tasks may use as secrets. */
export function privateNames(env: Environment): (name: string) => boolean {
  const secrets = (env.ESCAPEMENT_SECRETS ?? '').split(',').map((entry) => entry.trim().split(/\s/, 1)[0] ?? '');
  return (name) => /^(DATABASE_URL$|REDIS_|ESCAPEMENT_)/.test(name) || isSecretName(name, secrets);
}

/** As of any mistake in the configuration. */
const BAD_SETTINGS = 2;

function orExit<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
    process.exit(BAD_SETTINGS);
  }
}
