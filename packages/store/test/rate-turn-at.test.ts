import { newRunId } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db } = processes;
afterAll(() => processes.close());

const HOUR = 60 * MINUTE;
/** In the order of keys before that of the test, and after it. */
const OTHERS = [
  ['away', 'turn'],
  ['default', 'a'],
  ['default', 'z'],
  ['other', 'turn'],
] as const;

const taskId = await makeTask(db, { name: 'turn', rate: { limit: 2, perMs: HOUR, key: 'turn' } });
const OWN = { runId: newRunId(ago(MINUTE)), scheduledFor: ago(MINUTE) };

let base = ago(0);
beforeEach(async () => {
  base = ago(0);
  for (const table of ['rate_bucket', 'rate_start', 'rate_wait']) await db.pool.query(`TRUNCATE ${table}`);
});

/** Starts under a rate, so many minutes ago, with their numbers from 1 on. */
async function started(
  ages: readonly number[],
  [namespace, rateKey] = ['default', 'turn'] as readonly [string, string],
) {
  await db.pool.query(
    `INSERT INTO rate_bucket (namespace, rate_key, taken, most, longest_ms, last_at) VALUES ($1, $2, $3, 9, 0, now())`,
    [namespace, rateKey, ages.length],
  );
  await db.pool.query(
    `INSERT INTO rate_start (namespace, rate_key, number, started_at, run_id)
     SELECT $1, $2, a.number, $4::timestamptz - a.minutes * interval '1 min', gen_random_uuid()
     FROM unnest($3::integer[]) WITH ORDINALITY AS a(minutes, number)`,
    [namespace, rateKey, ages, base],
  );
}

/** Runs that wait for a token, scheduled so many minutes before the own one. */
async function waiting(
  minutes: readonly number[],
  [namespace, rateKey] = ['default', 'turn'] as readonly [string, string],
) {
  for (const before of minutes) {
    const at = new Date(OWN.scheduledFor.getTime() - before * MINUTE);
    await db.pool.query(
      `INSERT INTO rate_wait (namespace, rate_key, scheduled_for, run_id, key) VALUES ($1, $2, $3, $4, 'k')`,
      [namespace, rateKey, at, before === 0 ? OWN.runId : newRunId(at)],
    );
  }
}

/** When it is the turn of the own run, in minutes from the beginning of the test. */
async function turn(most?: number): Promise<number> {
  const { rows } = await db.pool.query(
    `SELECT extract(epoch FROM rate_turn_at($1, 'turn', $2, $3, $4, $5) - $6::timestamptz)::float8 / 60 AS minutes`,
    [db.namespace, taskId, OWN.scheduledFor, OWN.runId, most ?? 1000, base],
  );
  return rows[0].minutes;
}

// Two may start an hour. Of those that have, the first gives back its token in 10 min, the second in 40.
it.each([
  [0, 10],
  [1, 40],
  [2, 70],
  [3, 100],
  [4, 130],
])('behind %i others it is the turn of a run in %i minutes', async (ahead, minutes) => {
  await started([50, 20]);
  await waiting([0, ...Array.from({ length: ahead }, (_, index) => index + 1), -1, -2]);
  expect(await turn()).toBe(minutes);
});

it('the starts that count are the last ones', async () => {
  await started([200, 150, 50, 20]);
  expect(await turn()).toBe(10);
  await waiting([1]);
  expect(await turn()).toBe(40);
});

it('what starts and waits under other rates, and in other namespaces, does not count', async () => {
  for (const rate of OTHERS) {
    await started([59, 58, 57, 56, 55], rate);
    await waiting([1, 2, 3], rate);
  }
  await started([50, 20]);
  await waiting([1]);
  expect(await turn()).toBe(40);
});

it('no more are counted than the caller asks for', async () => {
  await started([50, 20]);
  await waiting([1, 2, 3]);
  expect(await turn(1)).toBe(40);
  expect(await turn(2)).toBe(70);
});

it('where a token is there, it is the turn now', async () => {
  for (const ages of [[], [50], [90, 20]]) {
    for (const table of ['rate_bucket', 'rate_start']) await db.pool.query(`TRUNCATE ${table}`);
    await started(ages);
    const minutes = await turn();
    // It was between the beginning of the test and this moment.
    expect(minutes).toBeLessThan(5);
    expect(minutes).toBeGreaterThan(-1);
  }
});
