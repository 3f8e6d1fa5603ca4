import { systemClock } from '@escapement/core';
import { askBulk, triggerTask } from '@escapement/operations';
import { prioritize } from '@escapement/queue';
import { createDispatcher } from '@escapement/scheduler';
import { heldRuns, priorityPools, taskPriorities } from '@escapement/store';
import { by } from '@escapement/testkit';
import { HORIZON_MS, testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet({ repeatableUpToMs: HORIZON_MS });
const { db } = fleet;
const onError = (error: unknown) => {
  throw error;
};
/** As a scheduler has it, that knows the pools as they are now. */
const dispatcher = () =>
  createDispatcher({
    db: fleet.as.scheduler,
    queue: prioritize(fleet.queue, { priorities: taskPriorities(db), clock: systemClock, onError }),
    databaseNow: () => systemClock.now(),
    clock: systemClock,
    horizonMs: HORIZON_MS,
    emit: () => undefined,
    onError,
  });

/** Names of the tasks whose runs wait in a list of a pool. */
async function inList(queue: string, list: 'wait' | 'prioritized'): Promise<string[]> {
  const { jobs } = await fleet.contents.page(`${queue}+shell`, { list, from: 0 }, 100);
  const { rows } = await db.pool.query<{ id: string; name: string }>(
    'SELECT r.id, t.name FROM run r JOIN task t ON t.id = r.task_id WHERE r.id = ANY ($1)',
    [jobs.map(({ runId }) => runId)],
  );
  return jobs.map(({ runId }) => rows.find(({ id }) => id === runId)?.name ?? '?');
}

it('lets the runs of a task that is more urgent go first, and keeps the order of equal ones', async () => {
  await fleet.save({ name: 'report', pool: 'mixed' });
  await fleet.save({ name: 'second', pool: 'mixed' });
  await fleet.save({ name: 'invoice', pool: 'mixed', priority: 90 });
  await fleet.save({ name: 'mail', pool: 'mixed', priority: 10 });
  for (const name of ['report', 'second', 'mail', 'invoice']) await triggerTask(db, name, { by: by('test') });
  await dispatcher().runOnce();
  expect(await inList('mixed', 'prioritized')).toEqual(['invoice', 'mail', 'report', 'second']);
});

it('leaves pools without priorities as they are', async () => {
  await fleet.save({ name: 'plain', pool: 'plain' });
  await triggerTask(db, 'plain', { by: by('test') });
  await dispatcher().runOnce();
  expect(await inList('plain', 'wait')).toEqual(['plain']);
  expect(await priorityPools(db)).toEqual(new Set(['mixed']));
});

it('gives repeats the priority of their task, and a job scheduler of its own when that changes', async () => {
  const repeatable = { name: 'repeated', pool: 'mixed', schedule: { kind: 'every', everyMs: 5000 } } as const;
  await fleet.save(repeatable);
  await fleet.syncRepeatableJobs();
  expect(await fleet.jobSchedulers.list('mixed+shell')).toMatchObject([{ everyMs: 5000, priority: 0, sound: true }]);
  await fleet.save({ ...repeatable, priority: 60 });
  await fleet.syncRepeatableJobs();
  expect(await fleet.jobSchedulers.list('mixed+shell')).toMatchObject([{ everyMs: 5000, priority: 60, sound: true }]);
});

it('lets held runs go by priority, then by time, at the rate that was asked for', async () => {
  for (const [name, priority] of [
    ['low', 5],
    ['high', 95],
  ] as const) {
    await fleet.save({ name, priority });
    await triggerTask(db, name, { by: by('test') });
    await triggerTask(db, name, { by: by('test') });
  }
  await db.pool.query(
    `UPDATE run r SET state = 'held', reason = 'held', dispatch = 0 FROM task t
     WHERE t.id = r.task_id AND t.name IN ('low', 'high')`,
  );
  const page = { tasks: null, choice: 'all', limit: 1 } as const;
  const [first] = await heldRuns(db, { ...page, after: undefined });
  const [second] = await heldRuns(db, { ...page, after: first });
  const [third] = await heldRuns(db, { ...page, after: second });
  expect([first, second, third].map((run) => run?.priority)).toEqual([95, 95, 5]);
  expect(first && second && first.scheduledFor <= second.scheduledFor).toBe(true);
  await askBulk(db, { action: 'run_held', spacingMs: 15_000 }, by('test'));
  for (let pass = 0; pass < 2; pass++) await fleet.requests.runOnce();
  const due = async (name: string) => (await fleet.runs(name)).map(({ due_at: at }) => at.getTime());
  const [high, low] = [await due('high'), await due('low')];
  expect(Math.min(...low) - Math.max(...high)).toBe(15_000);
});
