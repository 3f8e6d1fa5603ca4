import { privateNames } from '../environment/index.ts';
import type { Environment } from './environment.ts';
import { isSecretName } from './secrets.ts';

/** What tasks get of the worker's environment in any case: what a machine's cron would have from the system, and Node. */
export const BASE_NAMES = [
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LC_ALL',
  'TZ',
  'TMPDIR',
  'NODE_ENV',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/** The part of a worker's environment that all its tasks may see: the names above and those that `open` adds. Never a secret. */
export function taskEnvironment(env: Environment, open: readonly string[] = []): Record<string, string> {
  const isPrivate = privateNames(env);
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value && !isPrivate(name) && (BASE_NAMES.includes(name) || isSecretName(name, open))) chosen[name] = value;
  return chosen;
}
