import type { RunEffects } from '@escapement/core';
import { lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { type BegunRun, finishRuns, openDatabase, readTaskState } from '../src/index.ts';
import { ago, begun, finishRequest, MINUTE, makeTask, queueRuns, SUCCEEDED } from './ledger.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());

async function atWork(name: string): Promise<BegunRun & { taskId: string }> {
  const taskId = await makeTask(db, { name });
  const [run] = await begun(db, await queueRuns(db, [{ taskId, key: name, ageMs: MINUTE }]));
  if (!run) throw new Error('no fixture');
  return { ...run, taskId };
}

const state = (value: string, version: number): RunEffects => ({ state: { value, version, shape: 1 } });

const ending = (run: BegunRun, effects?: RunEffects) =>
  finishRequest(run, effects ? { ...SUCCEEDED, effects } : SUCCEEDED);

it('of runs that end together each leaves its own effects; what could not end leaves none', async () => {
  const [first, second, stale] = [await atWork('first'), await atWork('second'), await atWork('stale')];
  const plain = await atWork('plain');
  const requests = [
    ending(first, state('a', 0)),
    ending(plain),
    { ...ending(stale, state('b', 0)), fence: 0n },
    ending(second, state('c', 0)),
  ];
  expect(await finishRuns(db, requests)).toEqual(['applied', 'applied', 'stale', 'applied']);
  const { rows } = await db.pool.query('SELECT key, value, version::integer, updated_by FROM task_state ORDER BY key');
  expect(rows).toEqual([
    { key: 'first', value: 'a', version: 1, updated_by: `run:${first.runId}` },
    { key: 'second', value: 'c', version: 1, updated_by: `run:${second.runId}` },
  ]);
});

it('each change of a state is its next version', async () => {
  const run = await atWork('versions');
  await db.pool.query(
    `INSERT INTO task_state (task_id, key, value, version, updated_by) VALUES ($1, 'versions', '0', 5, 'x')`,
    [run.taskId],
  );
  expect(await finishRuns(db, [ending(run, { state: { value: 'new', version: 5, shape: 2 } })])).toEqual(['applied']);
  expect(await readTaskState(db, run.taskId, 'versions')).toEqual({ value: 'new', version: 6, shape: 2 });
});

it('a state that somebody makes at that very moment is a conflict: nothing is written over it', async () => {
  const run = await atWork('made');
  const made = await lockRows(
    url,
    `INSERT INTO task_state (task_id, key, value, version, updated_by) VALUES ($1, 'made', '"theirs"', 1, 'x')`,
    [run.taskId],
  );
  const answer = finishRuns(db, [ending(run, state('ours', 0))]).catch(({ code }) => [code]);
  expect(await Promise.race([answer, made.awaited()])).toBeUndefined();
  await made.commit();
  // What the statement could not do the caller repeats, and is told then.
  expect(['conflict', '40001']).toContain((await answer)[0]);
  expect(await readTaskState(db, run.taskId, 'made')).toMatchObject({ value: 'theirs', version: 1 });
});

it('a next run that is due in the past is due now', async () => {
  const run = await atWork('past');
  const before = ago(0);
  expect(await finishRuns(db, [ending(run, { next: ago(60 * MINUTE) })])).toEqual(['applied']);
  const { rows } = await db.pool.query<{ at: number }>(
    `SELECT (detail->>'at')::float8 AS at FROM followers_outbox WHERE task_id = $1 AND event = 'next'`,
    [run.taskId],
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.at).toBeGreaterThanOrEqual(before.getTime() - MINUTE);
});

it('a run that decides the next one takes back what was decided before; one that wants none leaves none', async () => {
  const run = await atWork('anew');
  const noted = async () => {
    const { rows } = await db.pool.query<{ at: number }>(
      `SELECT (detail->>'at')::float8 AS at FROM followers_outbox WHERE task_id = $1 AND event = 'next'`,
      [run.taskId],
    );
    return rows.map(({ at }) => at);
  };
  await db.pool.query(
    `INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event, detail) VALUES ($1, $2, $3, $4, 'next', '{"at": 1}')`,
    [db.namespace, run.runId, run.scheduledFor, run.taskId],
  );
  const next = new Date('2126-01-01T00:00:00Z');
  await finishRuns(db, [ending(run, { next })]);
  expect(await noted()).toEqual([next.getTime()]);
  const [last] = await begun(db, await queueRuns(db, [{ taskId: run.taskId, key: 'anew', ageMs: 1000 }]));
  if (!last) throw new Error('no fixture');
  await finishRuns(db, [ending(last, { next: null })]);
  expect(await noted()).toEqual([]);
  const { rows } = await db.pool.query(
    `SELECT until_at FROM task_pause WHERE task_id = $1 AND (until_at IS NULL OR until_at > now())`,
    [run.taskId],
  );
  expect(rows).toEqual([{ until_at: null }]);
});
