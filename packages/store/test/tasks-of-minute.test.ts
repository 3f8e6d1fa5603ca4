import { newRunId } from '@escapement/core';
import { testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openDatabase, tasksInMinute } from '../src/index.ts';
import { MINUTE, makeTask } from './ledger.ts';

// How many tasks start in the same minute as one that is being made.
const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([db.close(), other.close()]));

const MINUTE_START = new Date('2031-03-04T05:06:00.000Z');
const WITHIN = new Date(MINUTE_START.getTime() + 20_000);
const after = (ms: number) => new Date(MINUTE_START.getTime() + ms);
const count = (except = 'none') => tasksInMinute(db, WITHIN, except);

beforeEach(async () => {
  await db.pool.query('DELETE FROM run');
  await db.pool.query('UPDATE task_plan SET next_run_at = NULL');
});

async function startsAt(at: Date, name: string, of = db): Promise<string> {
  const { rows } = await of.pool.query<{ id: string }>('SELECT id FROM task WHERE namespace = $1 AND name = $2', [
    of.namespace,
    name,
  ]);
  const id = rows[0]?.id ?? (await makeTask(of, { name }));
  await of.pool.query('UPDATE task_plan SET next_run_at = $2 WHERE task_id = $1', [id, at]);
  return id;
}

async function queuedAt(dueAt: Date, name: string, { of = db, state = 'queued' } = {}): Promise<void> {
  const taskId = await startsAt(after(-MINUTE), name, of);
  await of.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, dispatch, key, key_limit, overlap,
       pool, due_at)
     SELECT $1, now(), namespace, id, 1, 1, 'trigger', $2, 1, name, 1, overlap, pool, $3 FROM task WHERE id = $4`,
    [newRunId(new Date(0)), state, dueAt, taskId],
  );
}

it.each([
  [-1, 0],
  [0, 1],
  [MINUTE - 1, 1],
  [MINUTE, 0],
])(
  'a task that starts %i ms after the minute began counts %i times, and so does one whose run is queued',
  async (ms, times) => {
    await startsAt(after(ms), 'a');
    expect(await count()).toBe(times);
    await startsAt(after(-MINUTE), 'a');
    await queuedAt(after(ms), 'b');
    expect(await count()).toBe(times);
  },
);

it('each task counts once, the one that asks not at all', async () => {
  await queuedAt(after(1), 'a');
  await queuedAt(after(2), 'a');
  await startsAt(after(3), 'a');
  await queuedAt(after(4), 'b');
  await startsAt(after(5), 'c');
  expect([await count(), await count('a'), await count('c')]).toEqual([3, 2, 2]);
});

it('runs that wait, and what another namespace has, do not count', async () => {
  await queuedAt(after(1), 'a', { of: other });
  await startsAt(after(1), 'b', other);
  await queuedAt(after(1), 'held', { state: 'held' });
  await queuedAt(after(1), 'planned', { state: 'planned' });
  expect(await count()).toBe(0);
});
