import { newRunId } from '@escapement/core';
import { by, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import {
  causesAbove,
  dropWorkList,
  finishRuns,
  lostRuns,
  openDatabase,
  readRunTree,
  rerunRun,
  startFleet,
  triggerRun,
  writeHeartbeat,
} from '../src/index.ts';
import { ago, begun, deleteNow, finishRequest, MINUTE, makeTask, queueRuns, SUCCEEDED } from './ledger.ts';

// What is another's stays as it is: of a list, a task's history, another namespace.
const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

it('a run that adds to a list counts its own items, not those that others have added', async () => {
  const add = async (runId: string, items: readonly number[], first: number) => {
    const { rows } = await one.pool.query<{ added: number }>('SELECT add_to_list($1, $2, $3, $4, $5) AS added', [
      ...[one.namespace, 'files', JSON.stringify(items), runId, first],
    ]);
    return rows[0]?.added;
  };
  const [mine, theirs] = [newRunId(ago(MINUTE)), newRunId(ago(MINUTE))];
  expect([await add(mine, [1], 0), await add(theirs, [7, 8, 9], 0)]).toEqual([1, 3]);
  // A retry adds what it has added, and one more.
  expect([await add(mine, [1], 0), await add(mine, [2], 1), await add(theirs, [7, 8, 9], 0)]).toEqual([0, 1, 0]);
});

it('a list that is dropped keeps the items that runs have taken', async () => {
  await one.pool.query(`INSERT INTO work_list (namespace, name, next) VALUES ($1, 'half', 3), ($1, 'whole', 1)`, [
    one.namespace,
  ]);
  await one.pool.query(
    `INSERT INTO work_item (namespace, list, place, item, run_id, taken_at)
     VALUES ($1, 'half', 0, '"a"', $2, now()), ($1, 'half', 1, '"b"', NULL, NULL), ($1, 'half', 2, '"c"', NULL, NULL),
       ($1, 'whole', 0, '"d"', NULL, NULL)`,
    [one.namespace, newRunId(ago(MINUTE))],
  );
  expect(await dropWorkList(one, 'half', by('test'))).toEqual({ dropped: 2, taken: 1 });
  const { rows } = await one.pool.query(
    `SELECT list, place FROM work_item WHERE list IN ('half', 'whole') ORDER BY 1, 2`,
  );
  expect(rows).toMatchObject([{ list: 'half' }, { list: 'whole' }]);
});

it('the version of a deleted task ended when it was deleted, though the task is made again', async () => {
  await makeTask(one, { name: 'again' });
  await deleteNow(one, 'again', by('test'));
  await one.pool.query(`UPDATE task_version SET ended_at = now() - interval '1 h' WHERE ended_at IS NOT NULL`);
  await makeTask(one, { name: 'again' });
  const { rows } = await one.pool.query(
    `SELECT v.version, v.ended_at < now() - interval '30 min' AS before FROM task_version v JOIN task t ON t.id = v.task_id
     WHERE t.name = 'again' ORDER BY 1`,
  );
  expect(rows).toEqual([
    { version: 1, before: true },
    { version: 2, before: null },
  ]);
});

it('a fleet has come up though a scheduler of another namespace was there', async () => {
  const taskId = await makeTask(one, { name: 'first', onFleetStart: true });
  const scheduler = { role: 'scheduler', host: 'h', pid: 1, appVersion: '1', pools: [] } as const;
  await writeHeartbeat(other, { ...scheduler, id: 'theirs' }, { activeRuns: [], clockOffsetMs: 0 });
  const at = ago(0);
  const run = { id: newRunId(at), scheduledFor: at, taskId, key: 'first' };
  expect(await startFleet(one, 'mine', [run])).toEqual(['first']);
  await writeHeartbeat(one, { ...scheduler, id: 'another' }, { activeRuns: [], clockOffsetMs: 0 });
  expect(await startFleet(one, 'mine', [{ ...run, id: newRunId(at) }])).toEqual([]);
});

it('what another namespace says of a run, or of its worker, counts for nothing', async () => {
  const taskId = await makeTask(one, { name: 'watched' });
  const [run] = await begun(one, await queueRuns(one, [{ taskId, key: 'watched', ageMs: MINUTE }]));
  if (!run) throw new Error('no fixture');
  // It lives, and has the run, it says.
  const worker = { role: 'worker', host: 'h', pid: 1, appVersion: '1', pools: ['default'] } as const;
  await writeHeartbeat(other, { ...worker, id: 'worker-1' }, { activeRuns: [run.runId], clockOffsetMs: 0 });
  const lost = await lostRuns(one, { silentMs: 10 * MINUTE, limit: 10 });
  expect(lost.map(({ runId, forsaken }) => ({ runId, forsaken }))).toEqual([{ runId: run.runId, forsaken: true }]);

  // It has run it again already, it says.
  await finishRuns(one, [finishRequest(run, { ...SUCCEEDED, to: 'failed', reason: 'x' })]);
  const theirs = { id: newRunId(run.scheduledFor), scheduledFor: run.scheduledFor, origin: 'rerun', key: 'x' } as const;
  const theirTask = await makeTask(other, { name: 'watched' });
  const terms = { payload: undefined, by: by('test'), rerunOf: run.runId };
  expect(await triggerRun(other, { ...theirs, ...terms, taskId: theirTask })).toBe(true);
  expect(await rerunRun(one, run.runId, by('test'))).toMatchObject({ kind: 'made' });
});

it('a tree of runs ends where another namespace begins, upwards and downwards', async () => {
  const ofOne = await makeTask(one, { name: 'tree' });
  const ofOther = await makeTask(other, { name: 'tree' });
  const [mine, child, again] = await queueRuns(one, [
    { taskId: ofOne, key: 'tree', ageMs: 3 * MINUTE },
    { taskId: ofOne, key: 'tree', ageMs: 2 * MINUTE },
    { taskId: ofOne, key: 'tree', ageMs: MINUTE },
  ]);
  const [theirs, theirChild, theirAgain] = await queueRuns(other, [
    { taskId: ofOther, key: 'tree', ageMs: 3 * MINUTE },
    { taskId: ofOther, key: 'tree', ageMs: 2 * MINUTE },
    { taskId: ofOther, key: 'tree', ageMs: MINUTE },
  ]);
  if (!mine || !child || !again || !theirs || !theirChild || !theirAgain) throw new Error('no fixture');
  const say = (column: 'cause_run_id' | 'rerun_of', id: string, of: string) =>
    one.pool.query(`UPDATE run SET ${column} = $2 WHERE id = $1`, [id, of]);
  const idsOf = async (id: string) => (await readRunTree(one, id))?.runs.map(({ id: found }) => found);
  for (const id of [child.runId, theirChild.runId]) await say('cause_run_id', id, mine.runId);
  for (const id of [again.runId, theirAgain.runId]) await say('rerun_of', id, mine.runId);
  await say('cause_run_id', mine.runId, theirs.runId);
  await say('cause_run_id', theirs.runId, newRunId(ago(MINUTE)));
  expect((await idsOf(child.runId))?.sort()).toEqual([mine.runId, child.runId, again.runId].sort());
  // The nearest one that is not its own is counted, as one that was pruned is.
  expect(await causesAbove(one, child.runId, 9)).toBe(2);
});
