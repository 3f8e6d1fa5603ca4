import { newRunId } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import { testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { type BatchFilter, batchChildren, listBatches, openDatabase, readBatch } from '../src/index.ts';
import { insertBatch, insertChildren } from './batches.ts';
import { ago, MINUTE, makeTask } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

const task = await makeTask(one, { name: 'a', labels: { team: 'shop' } });
const another = await makeTask(one, { name: 'b' });
await makeTask(other, { name: 'a' });

beforeEach(() => one.pool.query('DELETE FROM batch'));

const RUN = { runId: newRunId(ago(5 * MINUTE)), scheduledFor: ago(5 * MINUTE) };

/** Three batches of one task, and one of another, the oldest first. */
async function four(): Promise<string[]> {
  const batches = [
    await insertBatch(one, { taskId: task }),
    await insertBatch(one, { taskId: task, run: RUN }),
    await insertBatch(one, { taskId: task, set: `state = 'done', ended_at = now()` }),
    await insertBatch(one, { taskId: another, set: `state = 'stopping'` }),
  ];
  return batches.map(({ id }) => id).sort();
}

const list = async (filter: Partial<BatchFilter> = {}, db = one) =>
  (await listBatches(db, { limit: 9, ...filter })).map(({ id }) => id);

it('lists the batches of its namespace, the latest first, so many at once', async () => {
  const latestFirst = (await four()).reverse();
  expect(await list()).toEqual(latestFirst);
  expect(await list({ limit: 2 })).toEqual(latestFirst.slice(0, 2));
  expect(await list({ before: latestFirst[1] })).toEqual(latestFirst.slice(2));
  expect(await list({}, other)).toEqual([]);
});

it('lists those of a task, of labels, of a run, or in some states', async () => {
  const set = { set: `state = 'done', ended_at = now()` };
  const plain = await insertBatch(one, { taskId: task });
  const ofRun = await insertBatch(one, { taskId: task, run: RUN, set: `state = 'stopping'` });
  const done = await insertBatch(one, { taskId: another, ...set });
  const sorted = async (filter: Partial<BatchFilter>) => (await list(filter)).sort();
  const ids = (...batches: { id: string }[]) => batches.map(({ id }) => id).sort();
  expect(await sorted({ taskName: 'a' })).toEqual(ids(plain, ofRun));
  expect(await sorted({ taskName: 'b' })).toEqual(ids(done));
  expect(await sorted({ taskName: 'nobody' })).toEqual([]);
  expect(await sorted({ labels: parseSelector('team=shop') })).toEqual(ids(plain, ofRun));
  expect(await sorted({ runId: RUN.runId })).toEqual(ids(ofRun));
  expect(await sorted({ states: ['done', 'stopping'] })).toEqual(ids(ofRun, done));
  expect(await sorted({ states: ['running'] })).toEqual(ids(plain));
  expect(await sorted({ taskName: 'a', states: ['done'] })).toEqual([]);
});

it('reads a batch with all that was asked for, if there is one', async () => {
  const { id, createdAt } = await insertBatch(one, {
    taskId: task,
    run: RUN,
    set: `key = 'k {{item}}', join_task = 'b', cancelled_by = 'ann', reason = 'enough'`,
  });
  await insertBatch(one, { taskId: another });
  expect(await readBatch(one, id)).toEqual({
    ...{ id, name: id, taskName: 'a', runId: RUN.runId, joinTask: 'b', createdAt, state: 'running', reason: 'enough' },
    ...{ total: 5, made: 0, succeeded: 0, skipped: 0, failed: 0, left: 5 },
    ...{ key: 'k {{item}}', concurrency: 7, order: 'none', onError: 'continue', cancelledBy: 'ann', endedAt: null },
  });
  expect(await readBatch(other, id)).toBeNull();
  expect(await readBatch(one, newRunId(ago(0)))).toBeNull();
});

it('reads the runs of a range of items, in some states, so many at once', async () => {
  const batch = await insertBatch(one, { taskId: task });
  await insertBatch(one, { taskId: task });
  const ids = await insertChildren(one, batch, { taskId: task, count: 4 });
  await one.pool.query('DELETE FROM run WHERE id = $1', [ids[2]]);
  const read = async (range: Partial<Parameters<typeof batchChildren>[2]> = {}, db = one) =>
    (await batchChildren(db, batch, { from: 0, to: 9, limit: 9, ...range })).map(({ index }) => index);
  expect(await read()).toEqual([0, 1, 3]);
  expect([await read({ from: 1 }), await read({ to: 3 }), await read({ limit: 2 })]).toEqual([
    [1, 3],
    [0, 1],
    [0, 1],
  ]);
  expect([await read({ states: ['failed', 'succeeded'] }), await read({ states: ['failed'] })]).toEqual([
    [0, 1, 3],
    [],
  ]);
  expect(await read({}, other)).toEqual([]);
  const [first] = await batchChildren(one, batch, { from: 0, to: 1, limit: 9 });
  expect(first).toEqual({
    ...{ index: 0, id: ids[0], state: 'succeeded', reason: null, payload: 0, output: 'out 0' },
    ...{ startedAt: batch.createdAt, finishedAt: expect.any(Date) },
  });
});
