import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createToken } from '@escapement/operations';
import { freePort } from '@escapement/servers';
import { openDatabase } from '@escapement/store';
import { afterFile, asUser, by, ownRedis, spawnNode, testDatabase } from '@escapement/testkit';

const START_MS = 60_000;

/** What a story is told by its environment. */
export interface StoryFleet extends Record<string, string> {
  URL: string;
  /** Of an admin. */
  TOKEN: string;
  /** Where the API answers `/metrics`. */
  METRICS: string;
  /** The process of Redis, which a story stops for a while. */
  REDIS_PID: string;
  /** For files of its own. */
  FOLDER: string;
}

/** Scheduler, worker and API as processes, with a Redis that a story may stop. */
export async function startFleet(): Promise<StoryFleet> {
  const [{ url }, redis, port, health] = await Promise.all([testDatabase(), ownRedis(), freePort(0), freePort(0)]);
  const folder = mkdtempSync(path.join(tmpdir(), 'escapement-story-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  const shared = { DATABASE_URL: url, REDIS_URL: redis.url, ESCAPEMENT_HEALTH_PORT: 'off' };
  const start = async (app: string, line: string, env: Record<string, string>) => {
    const entry = new URL(`../../apps/${app}/src/main.ts`, import.meta.url);
    await spawnNode(entry, { env: { ...shared, ...env } }).waitForLine(line, START_MS);
  };
  await Promise.all([
    start('scheduler', 'scheduler is running', {}),
    start('worker', 'worker is running', { ESCAPEMENT_ALLOW_SHELL: 'true' }),
    start('api', 'the API listens', {
      DATABASE_URL: asUser(url, 'api'),
      ESCAPEMENT_API_PORT: String(port),
      ESCAPEMENT_HEALTH_PORT: String(health),
    }),
  ]);
  return {
    URL: `http://127.0.0.1:${port}`,
    TOKEN: await tokenFor(url),
    METRICS: `http://127.0.0.1:${health}/metrics`,
    REDIS_PID: String(redis.pid()),
    FOLDER: folder,
  };
}

async function tokenFor(url: string): Promise<string> {
  const db = openDatabase({ url, applicationName: 'story' });
  try {
    return (await createToken(db, { name: 'story', role: 'admin' }, by('root'))).token;
  } finally {
    await db.close();
  }
}
