import { DAY, type DurationDigest, HOUR, quantileOf } from '@escapement/core';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { usualDurations } from '../src/index.ts';
import { makeTask, twoProcesses } from './ledger.ts';

const { one: db, close } = await twoProcesses();
afterAll(close);
const LAST = new Date('2026-03-01T12:00:00Z');
await db.pool.query(
  `CREATE TABLE task_hour_then PARTITION OF task_hour FOR VALUES FROM ('2025-11-01T00:00:00Z') TO ('2026-04-01T00:00:00Z')`,
);

let named = 0;
const newTask = async () => await makeTask(db, { name: `learns-${named++}` });

async function rolledUp(taskId: string, agoMs: number, took: DurationDigest): Promise<void> {
  const hour = new Date(LAST.getTime() - agoMs).toISOString();
  await db.pool.query(
    `INSERT INTO task_hour (task_id, hour, runs, started, succeeded, failed, timed_out, quarantined, skipped, missed, superseded, cancelled, took, late)
     VALUES ($1, $2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, $3, '{}')`,
    [taskId, hour, JSON.stringify(took)],
  );
}

async function learn(taskId: string, hour = LAST): Promise<void> {
  await db.pool.query('SELECT learn_durations(ARRAY[$1::uuid], $2)', [taskId, hour.toISOString()]);
}

const learned = async (taskId: string) => (await usualDurations(db, [taskId], 1)).get(taskId);

function together(digests: readonly DurationDigest[]): DurationDigest {
  const all: Record<string, number> = {};
  for (const [bucket, runs] of digests.flatMap((each) => Object.entries(each))) all[bucket] = (all[bucket] ?? 0) + runs;
  return all;
}

const runsOf = (digest: DurationDigest) => Object.values(digest).reduce((sum, runs) => sum + runs, 0);

const digest = fc.dictionary(fc.nat(120).map(String), fc.integer({ min: 1, max: 12 }), { minKeys: 1, maxKeys: 5 });

it('the same as the quantiles of the hours: of a week, and of 90 days where that has fewer than 20 runs', async () => {
  await fc.assert(
    fc.asyncProperty(digest, digest, digest, digest, async (last, inWeek, before, tooOld) => {
      const taskId = await newTask();
      await rolledUp(taskId, 0, last);
      await rolledUp(taskId, 6 * DAY, inWeek);
      await rolledUp(taskId, 8 * DAY, before);
      await rolledUp(taskId, 90 * DAY, tooOld);
      await learn(taskId);
      const week = together([last, inWeek]);
      const all = runsOf(week) >= 20 ? week : together([week, before]);
      const usual = await learned(taskId);
      expect(usual?.runs).toBe(runsOf(all));
      expect(usual?.p50Ms).toBeCloseTo(quantileOf(all, 0.5) ?? -1, 6);
      expect(usual?.p95Ms).toBeCloseTo(quantileOf(all, 0.95) ?? -1, 6);
    }),
    { numRuns: 30 },
  );
});

it('a task of which 20 runs are known is looked at in one hour of the day, others in each in which they ran', async () => {
  const taskId = await newTask();
  await rolledUp(taskId, 2 * HOUR, { 7: 5 });
  await learn(taskId, new Date(LAST.getTime() - 2 * HOUR));
  expect(await learned(taskId)).toMatchObject({ runs: 5 });
  await rolledUp(taskId, HOUR, { 7: 15 });
  await learn(taskId, new Date(LAST.getTime() - HOUR));
  expect(await learned(taskId)).toMatchObject({ runs: 20 });
  const known: number[] = [];
  for (let hour = 0; hour < 24; hour++) {
    await rolledUp(taskId, -hour * HOUR, { 7: 1 });
    await learn(taskId, new Date(LAST.getTime() + hour * HOUR));
    known.push((await learned(taskId))?.runs ?? 0);
  }
  // Once, with all that came until then.
  const [before, after] = [...new Set(known)];
  expect(new Set(known).size).toBe(known[0] === 20 ? 2 : 1);
  if (after === undefined) expect(before).toBe(21);
  else expect(after).toBe(20 + known.indexOf(after) + 1);
});

it('a task that has not run of late stays as it was', async () => {
  const taskId = await newTask();
  await rolledUp(taskId, 0, { 50: 25 });
  await learn(taskId);
  const before = await learned(taskId);
  await db.pool.query('DELETE FROM task_hour WHERE task_id = $1', [taskId]);
  for (let hour = 1; hour <= 24; hour++) await learn(taskId, new Date(LAST.getTime() + hour * HOUR));
  expect(await learned(taskId)).toEqual(before);
  expect(before).toMatchObject({ runs: 25 });
});

it('a task of which fewer than 20 runs are known is looked at where it ran in that hour itself, and took a time', async () => {
  const [taskId, other] = [await newTask(), await newTask()];
  await rolledUp(taskId, 2 * HOUR, { 7: 5 });
  await rolledUp(other, 0, { 7: 5 });
  await learn(taskId);
  expect(await learned(taskId)).toBeUndefined();
  await rolledUp(taskId, 0, {});
  await learn(taskId);
  expect(await learned(taskId)).toBeUndefined();
  await rolledUp(taskId, HOUR, { 7: 1 });
  await learn(taskId, new Date(LAST.getTime() - HOUR));
  expect(await learned(taskId)).toMatchObject({ runs: 6 });
});

it('an hour is of the week if it is less than 7 days before the last one', async () => {
  const [many, few] = [await newTask(), await newTask()];
  for (const [taskId, runs] of [
    [many, 20],
    [few, 19],
  ] as const) {
    await rolledUp(taskId, 0, { 7: 1 });
    await rolledUp(taskId, 7 * DAY - HOUR, { 7: runs - 1 });
    await rolledUp(taskId, 7 * DAY, { 7: 3 });
    await learn(taskId);
  }
  expect(await learned(many)).toMatchObject({ runs: 20 });
  // Where the week has too few, each of the 90 days counts once.
  expect(await learned(few)).toMatchObject({ runs: 22 });
});

it('hours after the last one do not count', async () => {
  const taskId = await newTask();
  await rolledUp(taskId, 0, { 7: 25 });
  await rolledUp(taskId, -HOUR, { 7: 3 });
  await learn(taskId);
  expect(await learned(taskId)).toMatchObject({ runs: 25 });
});

it('the usual duration is the shortest that half of the runs do not exceed, or 95 in 100', async () => {
  const taskId = await newTask();
  const took = { 10: 10, 20: 9, 30: 1 };
  await rolledUp(taskId, 0, took);
  await learn(taskId);
  const usual = await learned(taskId);
  expect(usual?.p50Ms).toBeCloseTo(quantileOf({ 10: 1 }, 0.5) ?? -1, 6);
  expect(usual?.p95Ms).toBeCloseTo(quantileOf({ 20: 1 }, 0.5) ?? -1, 6);
});
