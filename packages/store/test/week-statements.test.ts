import { DAY, systemClock } from '@escapement/core';
import { afterAll, expect, it } from 'vitest';
import { finishRuns, lookUpRepeats, lookUpRuns } from '../src/index.ts';
import { ago, begun, finishRequest, makeTask, queueRuns, stateOf, twoProcesses } from './ledger.ts';

const { one: db, close } = await twoProcesses();
afterAll(close);

/** A run of now, one from before the oldest week, and one from so long ago that no statement names its week. */
async function runsOf(name: string) {
  const { rows } = await db.pool.query<{ from_at: Date }>(
    'SELECT min(from_at) AS from_at FROM partitions_of($1) WHERE from_at IS NOT NULL',
    ['run'],
  );
  const beforeAllWeeks = systemClock.now().getTime() - (rows[0]?.from_at.getTime() ?? Number.NaN) + 1000;
  const taskId = await makeTask(db, { name });
  const ages = [60_000, beforeAllWeeks, 60 * DAY];
  return queueRuns(
    db,
    ages.map((ageMs, index) => ({ taskId, key: `${name}-${index}`, ageMs })),
  );
}

it('runs of a week that has no partition of its own begin and end, beside those of other weeks and alone', async () => {
  const together = await runsOf('together');
  const alone = await runsOf('alone');
  for (const batch of [together, ...alone.map((run) => [run])]) {
    expect((await lookUpRuns(db, batch)).map((sketch) => sketch?.runId)).toEqual(batch.map(({ runId }) => runId));
    const runs = await begun(db, batch);
    const ends = runs.map((run) => ({ ...finishRequest(run), countsFromEnd: false }));
    expect(await finishRuns(db, ends)).toEqual(batch.map(() => 'applied'));
    for (const { runId } of batch) expect(await stateOf(db, runId)).toBe('succeeded');
  }
});

it('a partition that a statement has missed once is found by the next ones', async () => {
  const [, old] = await runsOf('missed-once');
  if (!old) throw new Error('no fixture');
  for (const each of [1, 2])
    expect(await lookUpRuns(db, [old]), `look-up ${each}`).toMatchObject([{ runId: old.runId }]);
  expect(await lookUpRuns(db, [{ runId: old.runId, scheduledFor: ago(0) }])).toEqual([null]);
});

it('repeats find the runs of their task and instant in any week, together and alone', async () => {
  const runs = await runsOf('repeated');
  const { rows } = await db.pool.query<{ id: string; task_id: string; scheduled_for: Date; queue: string }>(
    `UPDATE run SET state = 'planned', origin = 'schedule' WHERE id = ANY ($1) RETURNING id, task_id, scheduled_for, queue_of(pool, need) AS queue`,
    [runs.map(({ runId }) => runId)],
  );
  const repeats = rows.map((row) => ({ taskId: row.task_id, scheduledFor: row.scheduled_for, queue: row.queue }));
  const found = async (asked: typeof repeats) => (await lookUpRepeats(db, asked)).map((sketch) => sketch?.runId);
  expect(repeats).toHaveLength(3);
  expect(await found(repeats)).toEqual(rows.map(({ id }) => id));
  for (const [index, repeat] of repeats.entries()) expect(await found([repeat])).toEqual([rows[index]?.id]);
  const beside = repeats.map((repeat) => ({ ...repeat, scheduledFor: new Date(repeat.scheduledFor.getTime() + 1) }));
  expect(await found(beside)).toEqual([undefined, undefined, undefined]);
});
