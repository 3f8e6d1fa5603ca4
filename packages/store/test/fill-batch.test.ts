import { newRunId } from '@escapement/core';
import { lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { addToBatch, type BegunRun, type NewBatch, openBatch, openDatabase, sealBatch } from '../src/index.ts';
import { ago, begun, MINUTE, makeTask, queueRuns } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

const taskId = await makeTask(one, { name: 'children' });
const theirTask = await makeTask(other, { name: 'theirs' });

/** A run at work, of a task of its own. */
async function aRun(name: string): Promise<BegunRun> {
  const id = await makeTask(one, { name });
  const [run] = await begun(one, await queueRuns(one, [{ taskId: id, key: name, ageMs: MINUTE }]));
  if (!run) throw new Error('not begun');
  return run;
}

/** Its next attempt. */
async function nextAttempt(run: BegunRun): Promise<BegunRun> {
  await one.pool.query('UPDATE run SET attempt = attempt + 1 WHERE id = $1', [run.runId]);
  return { ...run, attempt: run.attempt + 1 };
}

function aBatch(name = 'all'): NewBatch {
  const createdAt = ago(0);
  const id = newRunId(createdAt).replace(/.{8}$/, '00000000');
  return {
    id,
    createdAt,
    name,
    taskId,
    key: null,
    concurrency: 2,
    order: 'none',
    onError: 'continue',
    traceparent: null,
  };
}

/** A batch of a run that is being filled: it has two items. */
async function filling(name: string): Promise<{ run: BegunRun; id: string }> {
  const run = await aRun(name);
  const { id } = await openBatch(one, run, aBatch());
  await add(run, id, 0, ['a', 'b']);
  return { run, id };
}

const add = (run: BegunRun, batchId: string, first: number, items: readonly string[]) =>
  addToBatch(one, run, { batchId, first, items });

const set = (id: string, columns: string) => one.pool.query(`UPDATE batch SET ${columns} WHERE id = $1`, [id]);

async function rowOf(id: string) {
  const { rows } = await one.pool.query(
    `SELECT state, total, filled_by AS "filledBy",
       (SELECT jsonb_agg(jsonb_build_array(first, items) ORDER BY first) FROM batch_page WHERE batch_id = id) AS pages
     FROM batch WHERE id = $1`,
    [id],
  );
  return rows[0];
}

const NOT_CURRENT = { code: 'run_not_current' };
const AS_FILLED = { state: 'filling', total: 2, filledBy: 1, pages: [[0, ['a', 'b']]] };

it('a batch is opened as it was asked for', async () => {
  const run = await aRun('opens');
  const batch = { ...aBatch(), key: 'k', order: 'series', join: 'joins', traceparent: 'span' } as const;
  expect(await openBatch(one, run, batch)).toEqual({
    ...{
      id: batch.id,
      state: 'filling',
      total: 0,
      made: 0,
      succeeded: 0,
      skipped: 0,
      failed: 0,
      left: 0,
      reason: null,
    },
    ...{ taskId, key: 'k' },
  });
  const { rows } = await one.pool.query(
    `SELECT namespace, run_id, run_scheduled_for, name, task_id, key, concurrency, ordering, on_error, join_task, traceparent, filled_by,
       created_at FROM batch WHERE id = $1`,
    [batch.id],
  );
  expect(rows).toEqual([
    {
      ...{ namespace: 'default', run_id: run.runId, run_scheduled_for: run.scheduledFor, name: 'all', task_id: taskId },
      ...{
        key: 'k',
        concurrency: 2,
        ordering: 'series',
        on_error: 'continue',
        join_task: 'joins',
        traceparent: 'span',
      },
      ...{ filled_by: 1, created_at: batch.createdAt },
    },
  ]);
});

it('items that an attempt gave and did not complete are forgotten by the next, and by it alone', async () => {
  const [{ run, id }, beside] = [await filling('forgets'), await filling('forgets-not')];
  const again = await nextAttempt(run);
  expect(await openBatch(one, again, aBatch())).toMatchObject({ id, state: 'filling', total: 0 });
  expect(await rowOf(id)).toEqual({ state: 'filling', total: 0, filledBy: 2, pages: null });
  expect(await rowOf(beside.id)).toEqual(AS_FILLED);
});

it('of a batch that was completed the next attempt finds all', async () => {
  const { run, id } = await filling('completed');
  await sealBatch(one, run, id);
  const again = await nextAttempt(run);
  expect(await openBatch(one, again, aBatch())).toMatchObject({ id, state: 'running', total: 2 });
  expect(await rowOf(id)).toEqual({ ...AS_FILLED, state: 'running', filledBy: 2 });
});

it('a run may have two batches, by their names', async () => {
  const run = await aRun('two');
  const [first, second] = [await openBatch(one, run, aBatch()), await openBatch(one, run, aBatch('more'))];
  expect(first.id).not.toBe(second.id);
});

it('no batch is opened for a task of another namespace', async () => {
  const run = await aRun('for-theirs');
  await expect(openBatch(one, run, { ...aBatch(), taskId: theirTask })).rejects.toMatchObject(NOT_CURRENT);
});

it('a run that is at work since the same instant has no part in a batch', async () => {
  const [run, twin] = [await aRun('same-instant'), await aRun('same-instant-twin')];
  await one.pool.query('UPDATE run SET scheduled_for = $2 WHERE id = $1', [twin.runId, run.scheduledFor]);
  const { id } = await openBatch(one, run, aBatch());
  const { rows } = await one.pool.query('SELECT run_id FROM batch WHERE id = $1', [id]);
  expect(rows).toEqual([{ run_id: run.runId }]);
});

it('who opens a batch waits for who ends its run, and sees that it has ended', async () => {
  const run = await aRun('ends-meanwhile');
  const ended = await lockRows(url, `UPDATE run SET state = 'retrying' WHERE id = $1`, [run.runId]);
  const answer = openBatch(one, run, aBatch());
  const refused = expect(answer).rejects.toMatchObject(NOT_CURRENT);
  await ended.awaited();
  await ended.commit();
  await refused;
});

it('an attempt that is not the current one does nothing to a batch', async () => {
  const { run, id } = await filling('overtaken');
  await nextAttempt(run);
  await expect(openBatch(one, run, aBatch('late'))).rejects.toMatchObject(NOT_CURRENT);
  await expect(openBatch(one, run, aBatch())).rejects.toMatchObject(NOT_CURRENT);
  await expect(add(run, id, 2, ['c'])).rejects.toMatchObject(NOT_CURRENT);
  await expect(sealBatch(one, run, id)).rejects.toMatchObject(NOT_CURRENT);
  expect(await rowOf(id)).toEqual(AS_FILLED);
});

it('items are added behind those that are there, and repeated they change nothing', async () => {
  const [{ run, id }, beside] = [await filling('adds'), await filling('adds-not')];
  expect(await add(run, id, 2, ['c'])).toBe(true);
  expect(await add(run, id, 2, ['c'])).toBe(true);
  const added = { ...AS_FILLED, total: 3, pages: [...AS_FILLED.pages, [2, ['c']]] };
  expect(await rowOf(id)).toEqual(added);
  expect([await add(run, id, 4, ['e']), await add(run, id, 0, ['a', 'b'])]).toEqual([false, false]);
  expect([await rowOf(id), await rowOf(beside.id)]).toEqual([added, AS_FILLED]);
});

it('one batch of a run is filled, not another one', async () => {
  const { run, id } = await filling('one-of-two');
  const { id: second } = await openBatch(one, run, aBatch('second'));
  await add(run, second, 0, ['x', 'y']);
  expect(await add(run, id, 2, ['c'])).toBe(true);
  expect(await rowOf(second)).toMatchObject({ state: 'filling', total: 2 });
  expect(await sealBatch(one, run, id)).toMatchObject({ id, state: 'running', total: 3 });
  expect(await rowOf(second)).toMatchObject({ state: 'filling', total: 2 });
});

it.each([
  ['is complete', `state = 'running'`],
  ['is filled by another attempt', 'filled_by = 2'],
  ['is of another run', 'run_id = gen_random_uuid()'],
])('nothing is added to a batch that %s', async (why, columns) => {
  const { run, id } = await filling(`add-${why.replaceAll(' ', '-')}`);
  await set(id, columns);
  expect(await add(run, id, 2, ['c'])).toBe(false);
  expect(await rowOf(id)).toMatchObject({ total: 2, pages: AS_FILLED.pages });
});

it('a batch that is complete is gone on with from then on', async () => {
  const { run, id } = await filling('seals');
  await set(id, `advanced_at = '2001-01-01'`);
  expect(await sealBatch(one, run, id)).toMatchObject({ id, state: 'running', total: 2, left: 2 });
  const { rows } = await one.pool.query(`SELECT advanced_at > now() - interval '1 h' AS now FROM batch WHERE id = $1`, [
    id,
  ]);
  expect(rows).toEqual([{ now: true }]);
});

it('a batch that is being cancelled stays so', async () => {
  const { run, id } = await filling('cancelling');
  await set(id, `state = 'cancelling'`);
  expect(await sealBatch(one, run, id)).toMatchObject({ id, state: 'cancelling' });
  expect(await rowOf(id)).toMatchObject({ state: 'cancelling' });
});

it.each([
  ['is filled by another attempt', 'filled_by = 2'],
  ['is of another run', 'run_id = gen_random_uuid()'],
])('a run does not complete a batch that %s', async (why, columns) => {
  const { run, id } = await filling(`seal-${why.replaceAll(' ', '-')}`);
  await set(id, columns);
  expect(await sealBatch(one, run, id)).toBeNull();
  expect(await rowOf(id)).toMatchObject({ state: 'filling' });
});
