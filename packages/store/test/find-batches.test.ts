import { newRunId } from '@escapement/core';
import { by, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import {
  batchesOfRun,
  batchesToAdvance,
  batchResults,
  cancelBatches,
  causesAbove,
  dropUnfilled,
  findBatch,
  openDatabase,
} from '../src/index.ts';
import { insertBatch, insertChildren } from './batches.ts';
import { ago, MINUTE, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

const taskId = await makeTask(one, { name: 'children' });
const ENDED = `state = 'failed', reason = 'no', finished_at = now()`;

/** A run of a task of its own. */
async function aRun(name: string, set = 'attempt = 0'): Promise<QueuedFixture> {
  const [run] = await queueRuns(one, [{ taskId: await makeTask(one, { name }), key: name, ageMs: 5 * MINUTE }]);
  if (!run) throw new Error('no fixture');
  await setRun(run.runId, set);
  return run;
}

const setRun = (id: string, set: string) => one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [id]);

async function rowOf(id: string) {
  const { rows } = await one.pool.query(
    `SELECT state, reason, cancelled_by AS "cancelledBy", ended_at IS NOT NULL AS ended,
       (SELECT count(*)::integer FROM batch_page WHERE batch_id = id) AS pages FROM batch WHERE id = $1`,
    [id],
  );
  return rows[0];
}

/** Four children of a batch. */
async function fourChildren(set?: string) {
  const batch = await insertBatch(one, { taskId, ...(set ? { set } : {}) });
  const ids = await insertChildren(one, batch, { taskId, count: 4 });
  const results = async (from: number, limit: number) =>
    (await batchResults(one, batch.id, { from, limit })).map(({ index }) => index);
  return { ...batch, ids, results };
}

it('a note of another batch is no reason to go on with one', async () => {
  const set = `made = 2, skipped = 1, advanced_at = now() - interval '1 h', concurrency = 1`;
  const [noted, not] = [await insertBatch(one, { taskId, set }), await insertBatch(one, { taskId, set })];
  await one.pool.query(`INSERT INTO batch_note (batch_id, state) VALUES ($1, 'failed')`, [noted.id]);
  const found = await batchesToAdvance(one, 1000);
  expect([found.includes(noted.id), found.includes(not.id)]).toEqual([true, false]);
});

it('a batch that was being filled when its run ended is cancelled, and its items are dropped', async () => {
  const [run, open] = [await aRun('filled', ENDED), await aRun('fills')];
  const filling = { taskId, set: `state = 'filling'` };
  const dropped = await insertBatch(one, { ...filling, run });
  const kept = [
    await insertBatch(one, { ...filling, run: open }),
    await insertBatch(one, { ...filling, run: { ...run, runId: newRunId(run.scheduledFor) } }),
    await insertBatch(one, { taskId, run }),
  ];
  for (const { id } of [dropped, ...kept])
    await one.pool.query(`INSERT INTO batch_page (batch_id, first, items) VALUES ($1, 0, '[1]')`, [id]);
  const before = await Promise.all(kept.map(({ id }) => rowOf(id)));
  expect(await dropUnfilled(other)).toBe(0);
  expect(await dropUnfilled(one)).toBe(1);
  expect(await rowOf(dropped.id)).toMatchObject({
    ...{ state: 'cancelled', reason: 'its run ended before it had all its items', ended: true, pages: 0 },
  });
  expect(await Promise.all(kept.map(({ id }) => rowOf(id)))).toEqual(before);
  expect(before).toMatchObject(kept.map(() => ({ pages: 1 })));
  expect(await dropUnfilled(one)).toBe(0);
});

it('counts how many runs stand above one, up to so many', async () => {
  const runs = [await aRun('above-0'), await aRun('above-1'), await aRun('above-2'), await aRun('above-3')];
  for (const [place, { runId }] of runs.slice(1).entries())
    await setRun(runId, `cause_run_id = '${runs[place]?.runId}'`);
  const above = (place: number, most = 9) => causesAbove(one, runs[place]?.runId ?? '', most);
  expect([await above(0), await above(1), await above(3)]).toEqual([0, 1, 3]);
  expect([await above(3, 3), await above(3, 2), await above(3, 0)]).toEqual([3, 2, 0]);
  expect(await causesAbove(other, runs[3]?.runId ?? '', 9)).toBe(0);
  expect(await causesAbove(one, newRunId(ago(0)), 9)).toBe(0);
});

it('a run has the batches that it asked for, in that order', async () => {
  const run = await aRun('asks');
  await insertBatch(one, { taskId });
  const [late, early] = [
    await insertBatch(one, { taskId, run }),
    await insertBatch(one, {
      taskId,
      run,
      set: `created_at = now() - interval '1 h', made = 3, succeeded = 2, failed = 1`,
    }),
  ];
  const found = await batchesOfRun(one, run.runId);
  expect(found.map(({ id }) => id)).toEqual([early.id, late.id]);
  expect(found[0]).toMatchObject({ taskName: 'children', runId: run.runId, total: 5, left: 2 });
  expect(await batchesOfRun(other, run.runId)).toEqual([]);
});

it('tells how far a batch is, if there is one', async () => {
  const { id } = await insertBatch(one, { taskId, set: 'made = 3, succeeded = 1, skipped = 1, failed = 1' });
  expect(await findBatch(one, id)).toEqual({
    ...{ id, state: 'running', total: 5, made: 3, succeeded: 1, skipped: 1, failed: 1, left: 2, reason: null },
  });
  expect(await findBatch(other, id)).toBeNull();
  expect(await findBatch(one, newRunId(ago(0)))).toBeNull();
});

it('the open batches of a run are cancelled, and somebody has done it', async () => {
  const run = await aRun('cancels');
  const of = (state: string) => insertBatch(one, { taskId, run, set: `state = '${state}', reason = 'before'` });
  const open = [await of('filling'), await of('running'), await of('stopping')];
  const left = [
    await of('cancelling'),
    await insertBatch(one, { taskId, run, set: `state = 'done', ended_at = now()` }),
    await insertBatch(one, { taskId, run, set: `state = 'cancelled', ended_at = now()` }),
    await insertBatch(one, { taskId }),
  ];
  const before = await Promise.all(left.map(({ id }) => rowOf(id)));
  expect(await cancelBatches(other, run.runId, by('ann'))).toEqual([]);
  expect((await cancelBatches(one, run.runId, by('ann', 'enough'))).sort()).toEqual(open.map(({ id }) => id).sort());
  for (const { id } of open)
    expect(await rowOf(id)).toMatchObject({ state: 'cancelling', cancelledBy: 'ann', reason: 'enough' });
  expect(await Promise.all(left.map(({ id }) => rowOf(id)))).toEqual(before);
  const { rows } = await one.pool.query(
    'SELECT DISTINCT action, principal_name AS who FROM audit WHERE subject = $1 AND namespace = $2',
    [`run:${run.runId}`, 'default'],
  );
  expect(rows).toEqual([{ action: 'cancel batch', who: 'ann' }]);
});

it('a result has the item, and what came of it', async () => {
  const { id, ids } = await fourChildren();
  expect(await batchResults(one, id, { from: 2, limit: 1 })).toEqual([
    { index: 2, id: ids[2], state: 'succeeded', reason: null, item: 2, output: 'out 2' },
  ]);
});

it('results are given up to the first that has not ended', async () => {
  const { id, createdAt } = await insertBatch(one, { taskId });
  const [, , open] = await insertChildren(one, { id, createdAt }, { taskId, count: 4 });
  await one.pool.query('DELETE FROM run WHERE id = $1', [open]);
  await one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at)
     VALUES ($1, $2, 'default', $3, 1, 1, 'chain', 'queued', 'k', 1, 'allow', 'default', $2)`,
    [open, createdAt, taskId],
  );
  expect((await batchResults(one, id, { from: 0, limit: 9 })).map(({ index }) => index)).toEqual([0, 1]);
});

it('results are given up to the first that was pruned', async () => {
  const { ids, results } = await fourChildren();
  await one.pool.query('DELETE FROM run WHERE id = $1', [ids[1]]);
  expect([await results(0, 9), await results(2, 9)]).toEqual([[0], [2, 3]]);
});

it('results are those of one batch, as many as are asked for', async () => {
  const [{ results }] = [await fourChildren(), await fourChildren()];
  expect([await results(0, 2), await results(1, 2), await results(0, 9)]).toEqual([
    [0, 1],
    [1, 2],
    [0, 1, 2, 3],
  ]);
});

it('a batch of another namespace has no results, though its runs are there', async () => {
  const { results } = await fourChildren(`namespace = 'other'`);
  expect(await results(0, 9)).toEqual([]);
});

it('a run of another namespace is no result', async () => {
  const batch = await insertBatch(one, { taskId });
  await insertChildren({ ...one, namespace: 'other' }, batch, { taskId, count: 1 });
  expect(await batchResults(one, batch.id, { from: 0, limit: 9 })).toEqual([]);
});

it('a run of another time is no result, though its id is that of a child', async () => {
  const batch = await insertBatch(one, { taskId });
  await insertChildren(one, { ...batch, createdAt: ago(2 * MINUTE) }, { taskId, count: 1 });
  expect(await batchResults(one, batch.id, { from: 0, limit: 9 })).toEqual([]);
});
