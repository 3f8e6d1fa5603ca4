import { randomUUID } from 'node:crypto';
import type { TaskInput, Verdict } from '@escapement/core';
import { lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import {
  type BegunRun,
  beginRuns,
  type FinishRequest,
  finishAndWake,
  finishRuns,
  openDatabase,
  waitRun,
} from '../src/index.ts';
import { ago, beginRequest, finishRequest, MINUTE, makeTask, queueRuns, stateOf } from './ledger.ts';

// The function finish_runs: ends that are no plain success.
const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());

const FAILED: Verdict = { to: 'failed', reason: 'exit code 3', lost: false, uncounted: false };
const AGAIN: Verdict = { ...FAILED, to: 'retrying', retryAt: ago(0), attemptOutcome: 'failed' };

type Running = BegunRun & { taskId: string; key: string };

/** Runs of a task at work, each in a slot of its own. */
async function atWork(name: string, { count = 1, ...input }: Partial<TaskInput> & { count?: number } = {}) {
  const taskId = await makeTask(db, { name, limit: count, ...input });
  const ages = Array.from({ length: count }, (_, index) => (count - index) * MINUTE);
  const queued = await queueRuns(
    db,
    ages.map((ageMs) => ({ taskId, key: name, ageMs })),
  );
  const runs: Running[] = [];
  for (const [index, run] of queued.entries()) {
    const [answer] = await beginRuns(db, [{ ...beginRequest(run), slot: index + 1 }]);
    if (answer?.kind !== 'begun') throw new Error(`not begun: ${answer?.kind}`);
    runs.push({ ...answer.run, taskId, key: name });
  }
  return runs;
}

async function one(name: string, input: Partial<TaskInput> = {}): Promise<Running> {
  const [run] = await atWork(name, input);
  if (!run) throw new Error('no fixture');
  return run;
}

const end = (run: BegunRun, verdict = FAILED) => finishRequest(run, verdict);

/** The slots that runs hold, of all keys and namespaces. */
async function held(): Promise<string[]> {
  const { rows } = await db.pool.query<{ slot: string }>(
    `SELECT concat_ws(' ', namespace, key, slot) AS slot FROM key_slot WHERE run_id IS NOT NULL ORDER BY 1`,
  );
  return rows.map(({ slot }) => slot);
}

it.each<[string, (request: FinishRequest) => Partial<FinishRequest>]>([
  ['of another state', ({ seen }) => ({ seen: { ...seen, state: 'queued' } })],
  ['of another dispatch', ({ seen }) => ({ seen: { ...seen, dispatch: seen.dispatch + 1 } })],
  ['of another attempt', ({ seen }) => ({ seen: { ...seen, attempt: 2 } })],
  ['of another fence', ({ fence }) => ({ fence: (fence ?? 0n) + 1n })],
])('who saw a run %s does not end it', async (what, other) => {
  const run = await one(what.replaceAll(' ', '-'));
  const request = end(run);
  expect(await finishRuns(db, [{ ...request, ...other(request) }])).toEqual(['stale']);
  expect(await stateOf(db, run.runId)).toBe('running');
  expect(await finishRuns(db, [request])).toEqual(['applied']);
});

it('who is of another namespace neither ends a run nor hears that it was ended', async () => {
  const request = end(await one('abroad'));
  const other = { ...db, namespace: 'other' };
  expect(await finishRuns(other, [request])).toEqual(['stale']);
  expect(await finishRuns(db, [request])).toEqual(['applied']);
  expect([await finishRuns(other, [request]), await finishRuns(db, [request])]).toEqual([['stale'], ['repeated']]);
});

it('a call is a repetition for the run that it ended alone', async () => {
  const [first, second] = [await one('same-call'), await one('same-call-2')];
  await db.pool.query('UPDATE run SET scheduled_for = $2 WHERE id = $1', [second.runId, first.scheduledFor]);
  const request = end(first);
  expect(await finishRuns(db, [request])).toEqual(['applied']);
  const other = { ...end({ ...second, scheduledFor: first.scheduledFor }), finishId: request.finishId };
  expect(await finishRuns(db, [{ ...other, seen: { ...other.seen, attempt: 7 } }])).toEqual(['stale']);
  expect(await finishRuns(db, [other])).toEqual(['applied']);
});

it('an end frees the slot of its run, and no other of the key, nor of other keys and namespaces', async () => {
  const [first, second] = await atWork('slots', { count: 2 });
  if (!first || !second) throw new Error('no fixture');
  await one('slots-beside');
  await db.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, fence, run_id, run_scheduled_for)
     SELECT 'other', key, slot, fence, run_id, run_scheduled_for FROM key_slot WHERE key = 'slots'`,
  );
  const of = async () => (await held()).filter((slot) => slot.includes(' slots'));
  const others = ['default slots 2', 'default slots-beside 1', 'other slots 1', 'other slots 2'];
  expect(await finishRuns(db, [end(first, AGAIN)])).toEqual(['applied']);
  expect(await of()).toEqual(['default slots 1', ...others].toSorted());
  const seen = { state: 'retrying', dispatch: first.dispatch, attempt: 1 } as const;
  expect(await finishRuns(db, [{ ...end(first), seen }])).toEqual(['applied']);
  expect(await of()).toEqual(others);
});

it('who did not run a run ends it, and leaves its slot to who has it', async () => {
  const [run, successor] = [await one('taken-over'), await one('successor')];
  await db.pool.query(
    `UPDATE key_slot SET run_id = $1, run_scheduled_for = $2, fence = fence + 1 WHERE key = 'taken-over'`,
    [...[successor.runId, successor.scheduledFor]],
  );
  expect(await finishRuns(db, [end(run)])).toEqual(['stale']);
  expect(await finishRuns(db, [{ ...end(run), fence: null }])).toEqual(['applied']);
  expect(await held()).toContain('default taken-over 1');
});

it('who did not run a run frees its slot', async () => {
  const run = await one('by-another');
  await db.pool.query(`UPDATE key_slot SET fence = fence + 1 WHERE key = 'by-another'`);
  expect(await finishRuns(db, [{ ...end(run), fence: null }])).toEqual(['applied']);
  expect(await held()).not.toContain('default by-another 1');
});

it('slots that name a run and are not its own stay as they are', async () => {
  const run = await one('own-slot');
  await db.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, fence, run_id, run_scheduled_for)
     SELECT namespace, o.key, o.slot, fence, run_id, run_scheduled_for
     FROM key_slot, (VALUES ('own-slot', 2), ('not-its-key', 1)) o(key, slot) WHERE key_slot.key = 'own-slot'`,
  );
  expect(await finishRuns(db, [end(run)])).toEqual(['applied']);
  const left = (await held()).filter((slot) => /own-slot|not-its-key/.test(slot));
  expect(left).toEqual(['default not-its-key 1', 'default own-slot 2']);
});

it('a run that takes no slot ends by its own fence', async () => {
  const run = await one('beside', { overlap: 'allow' });
  expect(await finishRuns(db, [end(run)])).toEqual(['applied']);
});

it('a run has ended when it neither is tried again nor is unknown', async () => {
  const runs = [await one('ends'), await one('tried-again'), await one('unknown')] as const;
  await finishRuns(db, [end(runs[0]), end(runs[1], AGAIN), end(runs[2], { ...FAILED, to: 'unknown' })]);
  const { rows } = await db.pool.query(
    `SELECT key, finished_at IS NOT NULL AS ended FROM run WHERE key IN ('ends', 'tried-again', 'unknown') ORDER BY 1`,
  );
  expect(rows.map(({ ended }) => ended)).toEqual([true, false, false]);
});

it('runs of one instant end each by itself', async () => {
  const [first, second] = [await one('instant'), await one('instant-2')];
  await db.pool.query('UPDATE run SET scheduled_for = $2 WHERE id = $1', [second.runId, first.scheduledFor]);
  expect(await finishRuns(db, [end(first)])).toEqual(['applied']);
  expect(await stateOf(db, second.runId)).toBe('running');
});

it('what somebody else is about to do with a run, or with its slot, is waited for', async () => {
  for (const query of [
    `UPDATE run SET attempt = 2 WHERE key = 'waits-run'`,
    `UPDATE key_slot SET fence = 99 WHERE key = 'waits-slot'`,
  ]) {
    const run = await one(query.includes('waits-run') ? 'waits-run' : 'waits-slot');
    const other = await lockRows(url, query);
    const answer = finishRuns(db, [end(run)]);
    expect(await Promise.race([answer, other.awaited()])).toBeUndefined();
    await other.commit();
    expect(await answer).toEqual(['stale']);
    expect(await stateOf(db, run.runId)).toBe('running');
  }
});

const REST = { kind: 'fixed-delay', delayMs: 90_000 };

interface Counted {
  /** What is another of the task, its plan or the run. */
  set?: string;
  verdict?: Verdict;
  countsFromEnd?: boolean;
}

/** By how much the plan of a task with a rest has moved on at the end of its run, and whether it has a date then. */
async function counted(name: string, { set = 'SELECT $1::uuid', verdict = FAILED, countsFromEnd }: Counted) {
  const run = await one(name);
  await db.pool.query('UPDATE task SET schedule = $2 WHERE id = $1', [run.taskId, REST]);
  await db.pool.query('UPDATE task_plan SET next_run_at = NULL WHERE task_id = $1', [run.taskId]);
  await db.pool.query(set, [run.taskId]);
  const plan = async () => {
    const { rows } = await db.pool.query(
      'SELECT plan_seq AS seq, next_run_at AS at FROM task_plan WHERE task_id = $1',
      [run.taskId],
    );
    return rows[0];
  };
  const before = await plan();
  const { rows } = await db.pool.query('SELECT state FROM run WHERE id = $1', [run.runId]);
  const request = { ...end(run, verdict), ...(countsFromEnd === undefined ? {} : { countsFromEnd }) };
  expect(await finishRuns(db, [{ ...request, seen: { ...request.seen, state: rows[0].state } }])).toEqual(['applied']);
  const after = await plan();
  return { moved: after.seq - before.seq, changed: String(after.at) !== String(before.at) };
}

it.each<[string, Counted]>([
  ['of its schedule', {}],
  ['that was caught up', { set: `UPDATE run SET origin = 'catch_up' WHERE task_id = $1` }],
  ['of which it is known that it counts', { countsFromEnd: true }],
  ['that becomes unknown', { verdict: { ...FAILED, to: 'unknown' } }],
])('the end of a run %s sets the next date of a schedule that counts from it, once', async (what, how) => {
  expect(await counted(`counts-${what.replaceAll(' ', '-')}`, how)).toEqual({ moved: 1, changed: true });
});

it.each<[string, Counted]>([
  ['of which it is known that it does not count', { countsFromEnd: false }],
  ['of another schedule', { set: `UPDATE task SET schedule = '{"kind": "every", "delayMs": 90000}' WHERE id = $1` }],
  ['of a deleted task', { set: 'UPDATE task SET deleted_at = now() WHERE id = $1' }],
  [
    'of a task that has a date',
    { set: `UPDATE task_plan SET next_run_at = now() + interval '9 d' WHERE task_id = $1` },
  ],
  ['that was triggered', { set: `UPDATE run SET origin = 'trigger' WHERE task_id = $1` }],
  ['that is tried again', { verdict: AGAIN }],
  ['that is superseded', { verdict: { ...FAILED, to: 'superseded' } }],
  ['that was unknown', { set: `UPDATE run SET state = 'unknown', reason = 'so' WHERE task_id = $1` }],
  ['of an earlier version', { set: 'UPDATE task SET version = 2 WHERE id = $1' }],
])('the end of a run %s does not', async (what, how) => {
  expect(await counted(`not-${what.replaceAll(' ', '-')}`, how)).toEqual({ moved: 0, changed: false });
});

it('the plan of another task stays as it is', async () => {
  const other = await one('rests-too');
  await db.pool.query('UPDATE task SET schedule = $2 WHERE id = $1', [other.taskId, REST]);
  await db.pool.query('UPDATE task_plan SET next_run_at = NULL WHERE task_id = $1', [other.taskId]);
  expect(await counted('rests', {})).toEqual({ moved: 1, changed: true });
  const { rows } = await db.pool.query('SELECT next_run_at FROM task_plan WHERE task_id = $1', [other.taskId]);
  expect(rows).toEqual([{ next_run_at: null }]);
});

/** A run that waits for the key. */
async function waiting(taskId: string, key: string): Promise<string> {
  const [run] = await queueRuns(db, [{ taskId, key, ageMs: 1000 }]);
  if (!run) throw new Error('no fixture');
  const seen = { state: 'queued', dispatch: run.dispatch, attempt: 0 } as const;
  expect(await waitRun(db, { ...run, seen })).toMatchObject({ kind: 'waiting' });
  return run.runId;
}

it.each(['wait-all', 'wait-one'] as const)(
  'under %s the next is woken by an end, not by an attempt',
  async (overlap) => {
    const name = `wakes-${overlap}`;
    const run = await one(name, { overlap });
    const next = await waiting(run.taskId, name);
    expect(await finishAndWake(db, [end(run, AGAIN)])).toMatchObject([{ result: 'applied', woken: [] }]);
    const seen = { state: 'retrying', dispatch: run.dispatch, attempt: 1 } as const;
    expect(await finishAndWake(db, [{ ...end(run), seen }])).toMatchObject([
      { result: 'applied', woken: [{ id: next }] },
    ]);
  },
);

it('what each end wakes is told to its own caller', async () => {
  const runs = [await one('woken-b', { overlap: 'wait-all' }), await one('woken-a', { overlap: 'wait-all' })];
  const next: string[] = [];
  for (const { taskId, key } of runs) next.push(await waiting(taskId, key));
  const none = await one('woken-none');
  const stale = { ...end(none), finishId: randomUUID(), fence: 0n };
  const answers = await finishAndWake(db, [stale, ...runs.map((run) => end(run)), end(none)]);
  expect(answers).toMatchObject([
    { result: 'stale', woken: [] },
    { result: 'applied', woken: [{ id: next[0] }] },
    { result: 'applied', woken: [{ id: next[1] }] },
    { result: 'applied', woken: [] },
  ]);
});

it('of two ends under one key each is told of the run that has its slot', async () => {
  const [first, second] = await atWork('two-slots', { count: 2, overlap: 'wait-all' });
  if (!first || !second) throw new Error('no fixture');
  await waiting(first.taskId, 'two-slots');
  await waiting(first.taskId, 'two-slots');
  const answers = await finishAndWake(db, [end(second), end(first)]);
  expect(answers.map(({ woken }) => woken.map(({ slot }) => slot))).toEqual([[2], [1]]);
});
