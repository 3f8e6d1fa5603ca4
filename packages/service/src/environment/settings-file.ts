import { closeSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment } from '../config/environment.ts';

/** Names the file; docs/reference/configuration.md has it among the variables. */
export const SETTINGS_FILE = 'ESCAPEMENT_SETTINGS_FILE';

/**
 * The environment with the variables of the file that it names, `NAME=value` a line. What stands in both is as the
 * environment says. A path `/dev/fd/3` is a descriptor that this process was given: it is read to its end and closed.
 * Throws an Error that names the file where it cannot be read.
 */
export function withSettingsFile(env: Environment): Environment {
  const path = env[SETTINGS_FILE];
  if (path === undefined || path === '') return env;
  // Editors on Windows begin a file with a mark of their own (U+FEFF).
  return { ...parseEnv(contentOf(path).replace(/^\uFEFF/, '')), ...given(env) };
}

/** An empty value counts as absent. */
function given(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
}

function contentOf(path: string): string {
  const descriptor = /^\/dev\/fd\/(\d+)$/.exec(path)?.[1];
  try {
    if (descriptor === undefined) return readFileSync(path, 'utf8');
    const content = readFileSync(Number(descriptor), 'utf8');
    closeSync(Number(descriptor));
    return content;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(
      `${SETTINGS_FILE} is ${path}, which cannot be read: ${why}\n  name a file that this user may read`,
      { cause },
    );
  }
}
