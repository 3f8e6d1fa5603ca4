import { readdir, readFile, stat } from 'node:fs/promises';
import type { Exposure } from '@escapement/core';
import type { SecretRules } from '@escapement/core/secrets';
import type { Account, Accounts } from '@escapement/handlers';
import { type Config, type Environment, secretsFrom } from '@escapement/service';
import { isDebugged } from '@escapement/service/environment';

/** Shorter values would be found everywhere. */
const MIN_LENGTH = 8;

export interface ExposureOptions {
  accounts: Accounts;
  config: Pick<
    Config<'worker'>,
    | 'databaseUrl'
    | 'allowInline'
    | 'allowRootTasks'
    | 'allowShell'
    | 'settingsFile'
    | 'redisTlsKey'
    | 'leaseRedisTlsKey'
    | 'secrets'
  >;
  env: Environment;
}

/** What tasks can reach of this worker's credentials, as the system is now; docs/how-to/run-a-fleet.md says what to do about it. */
export async function exposuresOf(options: ExposureOptions): Promise<Exposure[]> {
  const { accounts, config } = options;
  const { own, tasks } = accounts;
  const found: Exposure[] = [
    ...(config.allowInline ? ['inline' as const] : []),
    ...(isDebugged() ? ['debugger' as const] : []),
  ];
  if (tasks.uid === 0) return ['root', ...found];
  if (own.uid === 0 && config.allowShell && config.allowRootTasks) found.push('root_tasks');
  const values = credentialsIn(options.env, config.secrets);
  if (own.uid === tasks.uid) {
    if (await isMemoryOpen(own)) found.push('memory');
    if (await isShown('/proc/self/environ', values)) found.push('start_environment');
  }
  if (await someProcessShows(values, tasks)) found.push('other_processes');
  const files = [config.settingsFile, config.redisTlsKey, config.leaseRedisTlsKey, sslKeyIn(config.databaseUrl)];
  if ((await Promise.all(files.map((file) => isReadable(file, tasks)))).some(Boolean)) found.push('files');
  return found;
}

function credentialsIn(env: Environment, secrets: SecretRules): string[] {
  const named = [
    'DATABASE_URL',
    'DATABASE_STANDBY_URL',
    'REDIS_URL',
    'REDIS_LEASE_URL',
    'REDIS_SENTINEL_PASSWORD',
    'REDIS_LEASE_SENTINEL_PASSWORD',
  ];
  const values = [...named.map((name) => env[name] ?? ''), ...secretsFrom(env, secrets).values()];
  return values.filter((value) => value.length >= MIN_LENGTH);
}

/** Where there is no Yama, or it restricts nothing, every process of a user may read all others that it may itself read. */
async function isMemoryOpen(own: Account): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const scope = await readFile('/proc/sys/kernel/yama/ptrace_scope', 'utf8').catch(() => '0');
  // Of a process that cannot be dumped, such as one whose program its user cannot read, this belongs to root.
  return scope.trim() === '0' && (await stat('/proc/self/environ').catch(() => undefined))?.uid === own.uid;
}

/** Where the system has no such file it has other ways, as `ps e` on macOS. */
async function isShown(file: string, values: readonly string[]): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const shown = await readFile(file, 'latin1').catch(() => '');
  return values.some((value) => shown.includes(Buffer.from(value).toString('latin1')));
}

async function someProcessShows(values: readonly string[], tasks: Account): Promise<boolean> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const others = pids.filter((pid) => pid !== String(process.pid));
  const shown = await Promise.all(
    others.map(async (pid) => {
      const owner = await stat(`/proc/${pid}`).catch(() => undefined);
      return owner?.uid === tasks.uid && (await isShown(`/proc/${pid}/environ`, values));
    }),
  );
  return shown.some(Boolean);
}

function sslKeyIn(databaseUrl: string): string | undefined {
  return new URL(databaseUrl).searchParams.get('sslkey') ?? undefined;
}

/** By its own mode: what is above it in the tree may still keep others out. */
async function isReadable(file: string | undefined, { uid, gid }: Account): Promise<boolean> {
  const found = file === undefined || file.startsWith('/dev/fd/') ? undefined : await stat(file).catch(() => undefined);
  if (!found) return false;
  if (found.uid === uid) return (found.mode & 0o400) !== 0;
  return (found.mode & (found.gid === gid ? 0o040 : 0o004)) !== 0;
}
