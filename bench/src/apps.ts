import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { BenchServers } from './servers.ts';

/** As its image starts it. */
const FLAGS = { scheduler: [], worker: [], api: ['--max-semi-space-size=8'] };

/** With nothing in its environment but the servers, and what it is told beside them. */
export function startApp(
  app: 'scheduler' | 'worker' | 'api',
  { databaseUrl, redisUrl }: Pick<BenchServers, 'databaseUrl' | 'redisUrl'>,
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const main = new URL(`../../apps/${app}/dist/main.js`, import.meta.url).pathname;
  const servers = { DATABASE_URL: databaseUrl, ...(app === 'api' ? {} : { REDIS_URL: redisUrl }) };
  return spawn(process.execPath, [...FLAGS[app], '--enable-source-maps', main], {
    env: { ...servers, ESCAPEMENT_HEALTH_PORT: '0', NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export async function stopApp(app: ChildProcess): Promise<void> {
  if (app.exitCode !== null || app.signalCode !== null) return;
  app.kill('SIGTERM');
  await once(app, 'exit');
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
