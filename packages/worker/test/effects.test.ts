import type { HandlerOutcome, TaskState } from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { readTaskState } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();
let outcome: (state: TaskState | undefined) => HandlerOutcome | Promise<HandlerOutcome> = () => ({
  status: 'succeeded',
});
await fleet.startWorker(async ({ state }) => await outcome(state));

async function runOnce(name: string, handler: typeof outcome) {
  outcome = handler;
  const ended = fleet.event('run_finished', ({ task }) => task === name);
  await triggerTask(fleet.db, name, { by: by('test') });
  await fleet.dispatcher.runOnce();
  return await ended;
}

const keep = (count: number, version: number): HandlerOutcome => ({
  status: 'succeeded',
  effects: { state: { value: { count }, version, shape: 1 } },
});

async function stateOf(name: string): Promise<TaskState> {
  const { rows } = await fleet.db.pool.query<{ id: string }>('SELECT id FROM task WHERE name = $1', [name]);
  return await readTaskState(fleet.db, rows[0]?.id ?? '', name);
}

it('a state is found by the next run, and kept of those that succeed only', async () => {
  await fleet.save({ name: 'counts', state: {} });
  const found: (TaskState | undefined)[] = [];
  const failed: HandlerOutcome = { status: 'failed', error: { name: 'E', message: 'no' } };
  for (const ending of [keep(1, 0), failed, keep(2, 1)])
    await runOnce('counts', (state) => {
      found.push(state);
      return ending;
    });
  expect(found.map((state) => [state?.version, state?.value])).toEqual([
    [0, undefined],
    [1, { count: 1 }],
    [1, { count: 1 }],
  ]);
  expect(await stateOf('counts')).toEqual({ value: { count: 2 }, version: 2, shape: 1 });
});

it('a state that somebody changed meanwhile stays, and the run has failed', async () => {
  await fleet.save({ name: 'raced', state: {} });
  await runOnce('raced', () => keep(1, 0));
  const ended = await runOnce('raced', async () => {
    await fleet.db.pool.query(
      `UPDATE task_state SET value = '{"count": 100}', version = version + 1, updated_by = 'me'`,
    );
    return keep(2, 1);
  });
  expect(ended.state).toBe('failed');
  expect(ended.reason).toContain("the task's state was changed while it ran");
  expect((await stateOf('raced')).value).toEqual({ count: 100 });
});

it('next: the schedule rests until then, and the run of that date is noted; never again: without end', async () => {
  await fleet.save({ name: 'decides', schedule: { kind: 'every', everyMs: 3_600_000 } });
  const at = new Date(Date.parse('2100-01-01T00:00:00Z'));
  await runOnce('decides', () => ({ status: 'succeeded', effects: { next: at } }));
  const pauses = async () =>
    (
      await fleet.db.pool.query(
        `SELECT until_at, note FROM task_pause p JOIN task t ON t.id = p.task_id WHERE t.name = 'decides'
         AND (until_at IS NULL OR until_at > now())`,
      )
    ).rows;
  const next = async () =>
    (await fleet.db.pool.query(`SELECT not_before, detail FROM followers_outbox f WHERE event = 'next'`)).rows;
  expect(await pauses()).toEqual([
    { until_at: new Date(at.getTime() + 1), note: expect.stringContaining('next at 2100') },
  ]);
  expect(await next()).toEqual([{ not_before: new Date(at.getTime() - 60_000), detail: { at: at.getTime() } }]);
  await runOnce('decides', () => ({ status: 'succeeded', effects: { next: null } }));
  expect(await pauses()).toEqual([{ until_at: null, note: expect.stringContaining('never again') }]);
  expect(await next()).toEqual([]);
});
