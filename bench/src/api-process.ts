import { actionOf, SECOND, systemClock } from '@escapement/core';
import { createToken } from '@escapement/operations';
import { freePort } from '@escapement/servers';
import { type Database, migrate } from '@escapement/store';
import { pause, startApp, stopApp } from './apps.ts';
import type { BenchServers } from './servers.ts';

/** The API as its image starts it, with the rights of its role alone. */
export interface BenchApi {
  url: string;
  pid: number;
  /** Of an admin. */
  token: string;
  stop(): Promise<void>;
}

const START_MS = 120 * SECOND;
const USER = 'bench_api';

/** Makes the roles of programs in the database, as `escapement migrate --roles` does, and a user for the API. */
export async function makeApiUser(db: Database): Promise<void> {
  await migrate(db.url, { roles: {} });
  await db.pool.query(`CREATE ROLE ${USER} LOGIN NOSUPERUSER PASSWORD '${USER}' IN ROLE escapement_api`);
}

export async function startApi(servers: BenchServers, db: Database): Promise<BenchApi> {
  const databaseUrl = Object.assign(new URL(servers.databaseUrl), { username: USER, password: USER }).href;
  const port = await freePort(0);
  const app = startApp('api', { ...servers, databaseUrl }, { ESCAPEMENT_API_PORT: String(port) });
  const url = `http://127.0.0.1:${port}`;
  const stop = () => stopApp(app);
  try {
    await answers(`${url}/v1/me`, () => app.exitCode !== null);
    const bench = actionOf({ kind: 'cli', id: 'bench', name: 'bench', address: null });
    const { token } = await createToken(db, { name: 'bench', role: 'admin' }, bench);
    return { url, pid: app.pid ?? 0, token, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits until something answers there, whatever it says. */
async function answers(url: string, ended: () => boolean): Promise<void> {
  const endMs = systemClock.monotonicMs() + START_MS;
  for (;;) {
    if (await fetch(url).catch(() => undefined)) return;
    if (ended() || systemClock.monotonicMs() > endMs) throw new Error('the API has not started');
    await pause(100);
  }
}
