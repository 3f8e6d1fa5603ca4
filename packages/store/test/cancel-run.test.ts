import { newRunId } from '@escapement/core';
import { by } from '@escapement/testkit';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { cancelRequests, findCancelledRuns, requestCancel } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns, stateOf, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const ANN = by('ann', 'wrong payload');
const ASKED = `cancel_requested_at = now(), cancel_requested_by = 'ann', cancel_reason = 'wrong payload'`;
const RUNNING = `state = 'running', attempt = 1, fence = 1, worker = 'w', started_at = now()`;
const ENDED = `finished_at = now(), reason = 'x'`;

async function aRun(name: string, set = `state = 'queued'`): Promise<QueuedFixture> {
  const taskId = await makeTask(one, { name });
  const [run] = await queueRuns(one, [{ taskId, key: name, ageMs: MINUTE }]);
  if (!run) throw new Error('no fixture');
  await one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run.runId]);
  return run;
}

/** Whenever a run of this key is asked to end, it moves on by this before anybody ends it. */
async function movesOn(key: string, set: string): Promise<void> {
  const name = key.replaceAll('-', '_');
  await one.pool.query(
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       UPDATE run SET ${set} WHERE id = NEW.id; RETURN NULL; END $$`,
  );
  await one.pool.query(
    `CREATE TRIGGER ${name} AFTER UPDATE OF cancel_requested_at ON run FOR EACH ROW WHEN (NEW.key = '${key}') EXECUTE FUNCTION ${name}()`,
  );
}

it('a run that moves on each time is asked five times, and left to the next pass of the reconciler', async () => {
  const run = await aRun('moves-on');
  await movesOn('moves-on', 'dispatch = dispatch + 1');
  expect(await requestCancel(one, run.runId, ANN)).toEqual({ kind: 'requested' });
  const { rows } = await one.pool.query('SELECT state, dispatch FROM run WHERE id = $1', [run.runId]);
  expect(rows).toEqual([{ state: 'queued', dispatch: 1 + 5 }]);
});

it('a run that somebody else cancels meanwhile is cancelled as asked', async () => {
  const run = await aRun('cancelled-meanwhile');
  await movesOn('cancelled-meanwhile', `state = 'cancelled', ${ENDED}`);
  expect(await requestCancel(one, run.runId, ANN)).toEqual({ kind: 'cancelled' });
});

it('a run that has ended otherwise meanwhile was asked too late', async () => {
  const run = await aRun('ended-meanwhile');
  await movesOn('ended-meanwhile', `state = 'succeeded', finished_at = now()`);
  expect(await requestCancel(one, run.runId, ANN)).toEqual({ kind: 'too_late', state: 'succeeded' });
});

it('a run that was cancelled before anybody asked here was asked too late', async () => {
  const run = await aRun('cancelled-before', `state = 'cancelled', ${ENDED}`);
  expect(await requestCancel(one, run.runId, ANN)).toEqual({ kind: 'too_late', state: 'cancelled' });
});

it('another run of the same instant is left alone', async () => {
  const run = await aRun('same-instant');
  expect(await requestCancel(one, newRunId(run.scheduledFor), ANN)).toEqual({ kind: 'not_found' });
  expect(await stateOf(one, run.runId)).toBe('queued');
});

it('only of a running run workers are told', async () => {
  const client = new pg.Client({ connectionString: one.pool.options.connectionString });
  await client.connect();
  const heard: (string | undefined)[] = [];
  const last = new Promise<void>((resolve) => {
    client.on('notification', ({ payload }) => {
      heard.push(payload);
      if (payload === 'last') resolve();
    });
  });
  await client.query('LISTEN escapement_cancel');
  await requestCancel(one, (await aRun('not-told')).runId, ANN);
  await one.pool.query(`SELECT pg_notify('escapement_cancel', 'between')`);
  await requestCancel(one, (await aRun('told', RUNNING)).runId, ANN);
  await one.pool.query(`SELECT pg_notify('escapement_cancel', 'last')`);
  await last;
  await client.end();
  expect(heard).toEqual(['between', one.namespace, 'last']);
});

it.each([
  ['is queued', `state = 'queued', ${ASKED}`, true],
  ['is planned', `state = 'planned', ${ASKED}`, true],
  ['is between attempts', `state = 'retrying', attempt = 1, ${ASKED}`, true],
  ['waits for its key', `state = 'waiting', waiting_since = now(), ${ASKED}`, true],
  ['is held', `state = 'held', ${ASKED}`, true],
  ['runs', `${RUNNING}, ${ASKED}`, false],
  ['is of unknown outcome', `state = 'unknown', reason = 'x', ${ASKED}`, false],
  ['has ended', `state = 'failed', ${ENDED}, ${ASKED}`, false],
  ['nobody wants cancelled', `state = 'queued'`, false],
])('a run that %s is to be ended by the reconciler, or not', async (why, set, isFound) => {
  await one.pool.query('DELETE FROM run');
  const run = await aRun(`found-${why.replaceAll(' ', '-')}`, set);
  const ids = (await findCancelledRuns(one, 10)).map(({ id }) => id);
  expect(ids).toEqual(isFound ? [run.runId] : []);
  expect(await findCancelledRuns(other, 10)).toEqual([]);
});

it('the reconciler is given as many as it asks for', async () => {
  for (const name of ['a', 'b', 'c']) await aRun(`many-${name}`, `state = 'queued', ${ASKED}`);
  expect(await findCancelledRuns(one, 2)).toHaveLength(2);
});

it.each([
  ['runs', `${RUNNING}, ${ASKED}`, true],
  ['was cancelled over its head', `state = 'cancelled', ${ENDED}, ${ASKED}`, true],
  ['was cancelled without a request', `state = 'cancelled', ${ENDED}`, false],
  ['nobody wants cancelled', RUNNING, false],
  ['is queued again', `state = 'queued', ${ASKED}`, false],
  ['has failed', `state = 'failed', ${ENDED}, ${ASKED}`, false],
])('of a run that %s its worker finds the request, or none', async (why, set, isFound) => {
  const run = await aRun(`asked-${why.replaceAll(' ', '-')}`, set);
  const asked = await cancelRequests(one, [run.runId]);
  expect([...asked]).toEqual(isFound ? [[run.runId, { who: 'ann', reason: 'wrong payload' }]] : []);
  expect((await cancelRequests(other, [run.runId])).size).toBe(0);
});
