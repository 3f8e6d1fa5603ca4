import { newRunId } from '@escapement/core';
import { afterAll, expect, it } from 'vitest';
import { batchResults, countBatch, stopIfDeleted } from '../src/index.ts';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

/** A batch of a task, of so many children that have all succeeded, and that are not counted yet. */
async function batchOf(taskId: string, state: string, children: number): Promise<string> {
  const at = ago(MINUTE);
  const id = newRunId(at).replace(/.{8}$/, '00000000');
  await one.pool.query(
    `INSERT INTO batch (id, namespace, run_id, run_scheduled_for, name, task_id, concurrency, ordering, on_error, state, filled_by,
       total, created_at, ended_at)
     VALUES ($1, $2, $3, $4, 'all', $5, 1, 'none', 'continue', $6, 1, $7, $4, $8)`,
    [id, one.namespace, newRunId(at), at, taskId, state, children, state === 'done' ? at : null],
  );
  await one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool,
       due_at, finished_at, batch_id)
     SELECT batch_child($1, n), $2, $3, $4, 1, 1, 'chain', 'succeeded', 'k', 1, 'allow', 'default', $2, now(), $1
     FROM generate_series(0, $5::integer - 1) AS n`,
    [id, at, one.namespace, taskId, children],
  );
  return id;
}

it('results of a batch are given from an index on, as many as are asked for', async () => {
  const id = await batchOf(await makeTask(one, { name: 'read' }), 'running', 4);
  const indexes = async (from: number, limit: number) =>
    (await batchResults(one, id, { from, limit })).map(({ index }) => index);
  expect([await indexes(0, 2), await indexes(2, 2), await indexes(3, 2), await indexes(4, 2)]).toEqual([
    [0, 1],
    [2, 3],
    [3],
    [],
  ]);
});

it('a batch whose task was deleted is stopped while it runs, and once', async () => {
  const taskId = await makeTask(one, { name: 'gone' });
  const [running, done] = [await batchOf(taskId, 'running', 1), await batchOf(taskId, 'done', 1)];
  expect(await stopIfDeleted(one, running)).toBe(false);
  await one.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [taskId]);
  expect([
    await stopIfDeleted(one, running),
    await stopIfDeleted(one, running),
    await stopIfDeleted(one, done),
  ]).toEqual([true, false, false]);
});

it.each([
  { state: 'running', onError: 'stop', made: 2, ends: ['failed'], becomes: 'stopping' },
  { state: 'running', onError: 'stop', made: 2, ends: ['skipped', 'succeeded'], becomes: 'running' },
  { state: 'running', onError: 'continue', made: 2, ends: ['failed'], becomes: 'running' },
  { state: 'running', onError: 'stop', made: 3, ends: ['failed'], becomes: 'running' },
  { state: 'cancelling', onError: 'stop', made: 2, ends: ['failed'], becomes: 'cancelling' },
])(
  'a batch that is $state, on an error $onError, with $made of 3 made, in which $ends, is $becomes',
  async ({ state, onError, made, ends, becomes }) => {
    const taskId = await makeTask(one, { name: newRunId(ago(0)) });
    const [id, beside] = [await batchOf(taskId, state, 1), await batchOf(taskId, state, 1)];
    await one.pool.query(
      `UPDATE batch SET on_error = $2, made = $3, total = 3, reason = 'before' WHERE id = ANY ($1)`,
      [[id, beside], onError, made],
    );
    for (const batch of [id, beside])
      await one.pool.query('INSERT INTO batch_note (batch_id, state) SELECT $1, unnest($2::text[])', [batch, ends]);
    const count = (word: string) => ends.filter((end) => end === word).length;
    const counted = {
      ...{ state: becomes, reason: becomes === 'stopping' ? 'an item has failed' : 'before' },
      ...{ failed: count('failed'), skipped: count('skipped'), succeeded: count('succeeded') },
    };
    expect(await countBatch(one, id)).toMatchObject(counted);
    // Each is counted once, and another batch counts its own.
    expect(await countBatch(one, id)).toMatchObject(counted);
    expect(await countBatch(one, beside)).toMatchObject(counted);
  },
);
