import { SECOND } from '@escapement/core';
import { saveTask, triggerRuns } from '@escapement/operations';
import { openDatabase, pingDatabase } from '@escapement/store';
import { by, testDatabase, testRedis } from '@escapement/testkit';
import { afterAll, expect, test } from 'vitest';
import { startProgram } from './fleet.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());
const env = {
  DATABASE_URL: url,
  REDIS_URL: (await testRedis()).url,
  ESCAPEMENT_HEALTH_PORT: '0',
  ESCAPEMENT_LEASE_MS: '3000',
  ESCAPEMENT_HORIZON_MS: '2000',
  ESCAPEMENT_ALLOW_SHELL: 'true',
};

const startWorker = (name: string) => startProgram('worker', { ...env, ESCAPEMENT_WORKER_NAME: name });

/** Each run with the name that it belongs to, and that of the worker which has begun it. */
async function runs() {
  const { rows } = await db.pool.query<{
    on: string;
    state: string;
    by: string | null;
    attempt: number;
    reason: string;
  }>(
    `SELECT worker_of(r.need) AS on, r.state, p.name AS by, r.attempt, r.reason FROM run r LEFT JOIN process p ON p.id = r.worker
     WHERE r.origin IN ('schedule', 'catch_up') ORDER BY worker_of(r.need)`,
  );
  return rows;
}

const statesOf = async () => (await runs()).map(({ on, state, by: begun }) => `${on} ${state} ${begun}`);

test('of three workers one is away, one is killed during its run, and one joins later: each run is on its own, or names it', {
  timeout: 180_000,
}, async () => {
  await startProgram('scheduler', env);
  await startWorker('a');
  const b = await startWorker('b');
  const c = await startWorker('c');
  await c.terminate();
  const { now } = await pingDatabase(db);
  await saveTask(
    db,
    {
      name: 'rotate',
      runOn: 'every-worker',
      schedule: { kind: 'once', at: new Date(now.getTime() + 3 * SECOND).toISOString() },
      handler: { type: 'shell', command: 'sleep 6' },
      misfireThresholdMs: 5 * SECOND,
      catchUp: 'none',
    },
    { source: 'test', by: by('test') },
  );
  await expect.poll(statesOf, { timeout: 20_000 }).toEqual(['a running a', 'b running b', 'c queued null']);
  await b.kill();
  await startWorker('d');
  await expect
    .poll(async () => (await statesOf()).filter((each) => !each.startsWith('b')), { timeout: 30_000 })
    .toEqual(['a succeeded a', 'c missed null']);
  expect((await runs()).find(({ on }) => on === 'c')?.reason).toMatch(
    /^worker c, which was away since .*, did not start/,
  );

  await startWorker('b');
  await expect.poll(statesOf, { timeout: 60_000 }).toEqual(['a succeeded a', 'b succeeded b', 'c missed null']);
  expect((await runs()).find(({ on }) => on === 'b')?.attempt).toBe(2);

  const made = await triggerRuns(db, 'rotate', { by: by('test') });
  expect(made.map(({ worker }) => worker)).toEqual(['a', 'b', 'c', 'd']);
  const ended = async () => {
    const { rows } = await db.pool.query<{ on: string }>(
      `SELECT p.name AS on FROM run r JOIN process p ON p.id = r.worker WHERE r.origin = 'trigger' AND r.state = 'succeeded'
       AND p.name = worker_of(r.need) ORDER BY p.name`,
    );
    return rows.map(({ on }) => on);
  };
  await expect.poll(ended, { timeout: 30_000 }).toEqual(['a', 'b', 'd']);
});
