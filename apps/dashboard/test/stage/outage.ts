import { actionOf, processPrincipal, SECOND, systemClock, type TaskInput } from '@escapement/core';
import { createSignInCode, createUser, saveTask } from '@escapement/operations';
import { type Database, openDatabase } from '@escapement/store';
import { afterFile, ownRedis, spawnNode, startProxy, testDatabase } from '@escapement/testkit';
import { buildSite } from '../../build/site.ts';
import { openBrowser, openPage, type Watched } from './browser.ts';
import { apiOf } from './stage.ts';

const BY = actionOf(processPrincipal('the stage'));
const START_MS = 45 * SECOND;

/** Two that ask after an outage, each so often that an outage of seconds makes them late. */
const TASKS: readonly TaskInput[] = ['send-invoices', 'send-reminders'].map((name) => ({
  name,
  handler: { type: 'shell', command: 'echo sent' },
  schedule: { kind: 'every', everyMs: 4 * SECOND },
  catchUp: { policy: 'ask', max: 200 },
}));

/** A scheduler and a worker as processes, a Redis that can be stopped, and the dashboard. */
export interface OutageStage {
  db: Database;
  url: string;
  /** The network to Redis is cut, or there again. */
  cutRedis(): void;
  joinRedis(): void;
  /** A page of the admin `ann`. */
  open(): Promise<Watched>;
}

/** All of it ends with the test file. */
export async function openOutageStage(): Promise<OutageStage> {
  await buildSite();
  const [{ url: databaseUrl }, redis, browser] = await Promise.all([testDatabase(), ownRedis(), openBrowser()]);
  afterFile(() => browser.close());
  const toRedis = await startProxy(redis.url);
  const db = openDatabase({ url: databaseUrl, applicationName: 'stage' });
  afterFile(() => db.close());
  await createUser(db, { name: 'ann', role: 'admin', rights: [], password: 'correct horse battery' }, BY);
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: toRedis.url,
    ESCAPEMENT_HEALTH_PORT: '0',
    ESCAPEMENT_ALLOW_SHELL: 'true',
    ESCAPEMENT_LEASE_MS: String(4 * SECOND),
    ESCAPEMENT_HORIZON_MS: String(3 * SECOND),
  };
  for (const program of ['scheduler', 'worker'] as const) {
    const started = spawnNode(new URL(`../../../${program}/src/main.ts`, import.meta.url), { env });
    await started.waitForLine(`${program} is running`, START_MS);
  }
  for (const task of TASKS) await saveTask(db, task, { source: 'api', by: BY });
  const api = apiOf(db, 0);
  const { port } = new URL((await api.start()).url);
  afterFile(() => api.stop());
  // Browsers keep the cookie for no other plain HTTP.
  const url = `http://localhost:${port}`;
  return {
    ...{ db, url },
    cutRedis: () => toRedis.reset(),
    joinRedis: () => toRedis.pass(),
    async open() {
      const watched = await openPage(browser, { theme: 'light', width: 1280 });
      await watched.page.goto(
        `${url}/sign-in#code=${await createSignInCode(db, 'ann', { now: systemClock.now(), by: BY })}`,
      );
      await watched.page.getByRole('heading', { name: 'Now', exact: true }).waitFor();
      return watched;
    },
  };
}
