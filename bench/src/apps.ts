import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { BenchServers } from './servers.ts';

/** With nothing in its environment but the servers, and what is given. */
export function startApp(
  app: 'scheduler' | 'worker',
  { databaseUrl, redisUrl }: BenchServers,
  given: Record<string, string> = {},
): ChildProcess {
  const main = new URL(`../../apps/${app}/dist/main.js`, import.meta.url).pathname;
  return spawn(process.execPath, ['--enable-source-maps', main], {
    env: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      ESCAPEMENT_HEALTH_PORT: '0',
      NODE_ENV: 'production',
      ...given,
    },
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
