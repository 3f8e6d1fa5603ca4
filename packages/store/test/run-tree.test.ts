import { newRunId } from '@escapement/core';
import { testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { type Database, openDatabase, readFollowers, readRunTree } from '../src/index.ts';
import { ago, MINUTE, makeTask } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

const taskId = await makeTask(one, { name: 'a' });

beforeEach(() => one.pool.query('DELETE FROM run'));
beforeEach(() => one.pool.query('DELETE FROM followers_outbox'));

/** Runs listed of those that one run has caused, and of a whole tree. */
const MOST_CHILDREN = 50;
const MOST_RUNS = 1000;
const AT = ago(10 * MINUTE);

/** Runs that have succeeded, by their ordinals from 0. `set`: what else is true of them. */
async function runs(count: number, set = 'ordinal = ordinal', db: Database = one): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newRunId(AT));
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool,
       due_at, started_at, finished_at, attempt, ordinal)
     SELECT c.id, $2, $3, $4, 1, 1, 'chain', 'queued', 'k', 1, 'allow', 'default', $2, $2, NULL, 1, c.nth - 1
     FROM unnest($1::uuid[]) WITH ORDINALITY AS c(id, nth)`,
    [ids, AT, db.namespace, taskId],
  );
  await db.pool.query(`UPDATE run SET ${set} WHERE id = ANY ($1)`, [ids]);
  await db.pool.query(
    `UPDATE run SET state = 'succeeded', finished_at = scheduled_for WHERE id = ANY ($1) AND finished_at IS NULL`,
    [ids],
  );
  return ids;
}

async function aRun(set?: string, db: Database = one): Promise<string> {
  const [id] = await runs(1, set, db);
  return id ?? '';
}

const FAILED = `state = 'failed', reason = 'no', finished_at = scheduled_for`;
const childOf = (id: string, more = '') => `cause_run_id = '${id}'${more}`;

const note = (runId: string, event: string, more = '', values = '') =>
  one.pool.query(
    `INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event, not_before, tries, error${more})
     VALUES ('default', $1, $2, $3, $4, $2, 2, 'no'${values})`,
    [runId, AT, taskId, event],
  );

const treeOf = async (id: string) => (await readRunTree(one, id))?.runs.map((run) => run.id);
const followersOf = async (id: string) => (await readFollowers(one, id)).runs.map((run) => run.id);

it('a run is told with what it is', async () => {
  const [cause, batchId, first] = [newRunId(AT), newRunId(AT), newRunId(AT)];
  const id = await aRun(
    `${FAILED}, attempt = 2, origin = 'lifecycle', payload = '{"event": "onFailure"}', ordinal = 3,
     cause_run_id = '${cause}', rerun_of = '${first}', batch_id = '${batchId}'`,
  );
  expect((await readRunTree(one, id))?.runs).toEqual([
    {
      ...{ id, taskName: 'a', origin: 'lifecycle', state: 'failed', reason: 'no', attempt: 2, scheduledFor: AT },
      ...{ dueAt: AT, startedAt: AT, finishedAt: AT, causeRunId: cause, ordinal: 3, rerunOf: first, batchId },
      event: 'onFailure',
    },
  ]);
});

it('an event is that of a lifecycle run, not what the payload of another says', async () => {
  const id = await aRun(`payload = '{"event": "onFailure"}'`);
  expect((await readRunTree(one, id))?.runs).toMatchObject([{ event: null }]);
});

it('a tree goes back to the first cause, and has all that it caused, each after the one that caused it', async () => {
  const root = await aRun();
  await aRun();
  const child = await aRun(childOf(root, ', ordinal = 1'));
  const earlier = await aRun(childOf(root, ', ordinal = 0'));
  const again = await aRun(`rerun_of = '${child}', ordinal = NULL`);
  const last = await aRun(childOf(again));
  for (const id of [root, child, again, last]) expect(await treeOf(id)).toEqual([root, earlier, child, again, last]);
});

it('a tree begins where the cause was pruned', async () => {
  const [pruned] = await runs(1);
  const child = await aRun(childOf(pruned ?? ''));
  await one.pool.query('DELETE FROM run WHERE id = $1', [pruned]);
  expect(await treeOf(child)).toEqual([child]);
});

it('there is no tree of a run that is not there, or in another namespace', async () => {
  const id = await aRun();
  expect(await readRunTree(one, newRunId(AT))).toBeNull();
  expect(await readRunTree(other, id)).toBeNull();
  expect(await readFollowers(other, id)).toEqual({ runs: [], followersOutbox: [], more: [] });
});

it('a run has what it has caused itself, not what that has caused', async () => {
  const root = await aRun();
  const child = await aRun(childOf(root));
  const again = await aRun(`rerun_of = '${root}', ordinal = NULL`);
  await aRun(childOf(child));
  await aRun(`rerun_of = '${again}'`);
  expect(await followersOf(root)).toEqual([root, child, again]);
  expect((await treeOf(root))?.length).toBe(5);
});

it('a chain is followed so far up, and so far down', async () => {
  const ids = await runs(
    MOST_RUNS + 3,
    'cause_run_id = (SELECT c.id FROM run c WHERE c.scheduled_for = run.scheduled_for AND c.ordinal = run.ordinal - 1)',
  );
  expect(await treeOf(ids.at(-1) ?? '')).toEqual(ids.slice(2, 2 + MOST_RUNS));
});

it('what is still to be done is told of the run alone, or of all of its tree', async () => {
  const root = await aRun();
  const child = await aRun(childOf(root));
  await note(root, 'finished');
  await note(root, 'next');
  await note(child, 'chain', ', given_up_at', `, $2`);
  await note(await aRun(), 'finished');
  await one.pool.query(`INSERT INTO followers_outbox (namespace, run_id, scheduled_for, task_id, event)
     SELECT 'other', run_id, scheduled_for, task_id, 'started' FROM followers_outbox`);
  const open = { runId: root, tries: 2, error: 'no', givenUpAt: null };
  const ofRoot = [
    { ...open, event: 'finished', notBefore: AT },
    { ...open, event: 'next', notBefore: new Date(AT.getTime() + MINUTE) },
  ];
  expect((await readFollowers(one, root)).followersOutbox).toEqual(ofRoot);
  expect((await readRunTree(one, child))?.followersOutbox).toEqual([
    ...ofRoot,
    { ...open, runId: child, event: 'chain', notBefore: AT, givenUpAt: AT },
  ]);
});

it('of many children the first are listed, and of the others how many there are in each state', async () => {
  const [root, beside] = [await aRun(), await aRun()];
  const children = await runs(MOST_CHILDREN + 3, childOf(root));
  await runs(MOST_CHILDREN + 2, childOf(beside, `, ${FAILED}, rerun_of = '${root}'`));
  await aRun(childOf(root, ', ordinal = 99'), other);
  const listed = await readRunTree(one, root);
  const of = (id: string) => listed?.runs.filter(({ causeRunId }) => causeRunId === id).map((run) => run.id);
  expect(of(root)).toEqual(children.slice(0, MOST_CHILDREN));
  expect(listed?.more).toEqual([
    { runId: root, counts: { succeeded: 3 } },
    { runId: beside, counts: { failed: 2 } },
  ]);
});

it('no state is named of which all children are listed', async () => {
  const root = await aRun();
  await aRun(childOf(root, `, ordinal = -1, ${FAILED}`));
  await runs(MOST_CHILDREN, childOf(root));
  expect((await readRunTree(one, root))?.more).toEqual([{ runId: root, counts: { succeeded: 1 } }]);
});

it('there are no others where all children are listed', async () => {
  const root = await aRun();
  await runs(MOST_CHILDREN, childOf(root));
  expect((await readRunTree(one, root))?.more).toEqual([]);
});

it('a run is listed with as many as are listed of its children, reruns among them', async () => {
  const root = await aRun();
  await runs(MOST_CHILDREN + 1, childOf(root));
  await aRun(`rerun_of = '${root}'`);
  const { runs: listed, more } = await readFollowers(one, root);
  expect(listed).toHaveLength(1 + MOST_CHILDREN);
  expect(more).toEqual([{ runId: root, counts: { succeeded: 1 } }]);
});
