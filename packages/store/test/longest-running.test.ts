import { type DurationDigest, HOUR, quantileOf } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { longestRunning } from '../src/index.ts';
import { ago, begun, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const { one: db, close } = await twoProcesses();
afterAll(close);
const LIMIT = 10;

beforeEach(async () => {
  for (const table of ['run', 'task_hour', 'task_duration']) await db.pool.query(`DELETE FROM ${table}`);
});

/** A run that has been running for so long. */
async function running(name: string, ms: number): Promise<string> {
  const taskId = await makeTask(db, { name, labels: { team: name } });
  await begun(db, await queueRuns(db, [{ taskId, key: name, ageMs: 2 * HOUR }]));
  await db.pool.query(`UPDATE run SET started_at = now() - $2 * interval '1 ms' WHERE task_id = $1`, [taskId, ms]);
  return taskId;
}

/** What its runs took, in an hour that is over; and what was learned of it. */
async function took(taskId: string, digest: DurationDigest, hoursAgo = 1): Promise<void> {
  await db.pool.query(
    `INSERT INTO task_hour (task_id, hour, runs, started, succeeded, failed, timed_out, quarantined, skipped, missed, superseded, cancelled, took, late)
     VALUES ($1, date_bin('1 hour', $2, 'epoch'), 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, $3, '{}')`,
    [taskId, ago(hoursAgo * HOUR).toISOString(), JSON.stringify(digest)],
  );
  const runs = Object.values(digest).reduce((sum, each) => sum + each, 0);
  await db.pool.query(
    `INSERT INTO task_duration (task_id, runs, p50_ms, p95_ms) VALUES ($1, $2, $3, $4)
     ON CONFLICT (task_id) DO UPDATE SET runs = task_duration.runs + excluded.runs`,
    [taskId, runs, quantileOf(digest, 0.5), quantileOf(digest, 0.95)],
  );
}

const names = async (more = {}) =>
  (await longestRunning(db, { limit: LIMIT, ...more })).map(({ taskName }) => taskName);
/** The bucket of durations of about a minute. */
const A_MINUTE = '116';
const minute = quantileOf({ [A_MINUTE]: 1 }, 1) ?? 0;

it('the one that began first comes first, with how long runs of its task take, by all hours that are known', async () => {
  expect(Math.round(minute / MINUTE)).toBe(1);
  const taskId = await running('usual', 5 * MINUTE);
  await running('new', 10 * MINUTE);
  await took(taskId, { 10: 3, [A_MINUTE]: 4 });
  await took(taskId, { [A_MINUTE]: 1, 150: 1 }, 2);
  const [first, second] = await longestRunning(db, { limit: LIMIT });
  expect([first?.taskName, first?.usual]).toEqual(['new', null]);
  expect(second).toMatchObject({ taskName: 'usual', usual: { runs: 9, p50Ms: minute } });
  expect(second?.usual?.p99Ms).toBe(quantileOf({ 150: 1 }, 1));
});

it('stuck is what has run for more than twice the p99 of its task, the furthest beyond it first', async () => {
  const far = await running('far', 60 * MINUTE);
  const further = await running('further', 30 * MINUTE);
  const within = await running('within', 1.5 * MINUTE);
  const often = await running('slow-at-times', 30 * MINUTE);
  await running('unknown', 90 * MINUTE);
  await took(far, { [A_MINUTE]: 20 });
  await took(further, { 10: 20 });
  await took(within, { [A_MINUTE]: 20 });
  // One of 50 took an hour: beyond twice the p95, and not beyond the p99.
  await took(often, { [A_MINUTE]: 98, 159: 2 });
  expect(await names({ stuckOnly: true })).toEqual(['further', 'far']);
  expect(await names({ stuckOnly: true, limit: 1 })).toEqual(['further']);
  expect(await names({ stuckOnly: true, labels: parseSelector('team=far') })).toEqual(['far']);
});

it('nothing is stuck of whose task fewer than 20 runs are known', async () => {
  const taskId = await running('seldom', 60 * MINUTE);
  await took(taskId, { 10: 19 });
  expect(await names({ stuckOnly: true })).toEqual([]);
  await took(taskId, { 10: 1 }, 2);
  expect(await names({ stuckOnly: true })).toEqual(['seldom']);
});
