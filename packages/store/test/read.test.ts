import { newRunId, type Verdict } from '@escapement/core';
import { by } from '@escapement/testkit';
import { afterAll, expect, test } from 'vitest';
import {
  findRun,
  finishRuns,
  inspectDatabase,
  listProcesses,
  listRuns,
  readAttempts,
  taskStats,
  triggerRun,
  writeHeartbeat,
} from '../src/index.ts';
import { ago, begun, finishRequest, MINUTE, makeTask, queueRuns, SUCCEEDED, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db } = processes;
afterAll(() => processes.close());

const FAILED: Verdict = { to: 'failed', reason: 'exit code 3', lost: false, uncounted: false };
const AGAIN: Verdict = {
  to: 'retrying',
  reason: 'exit code 3',
  lost: false,
  uncounted: false,
  attemptOutcome: 'failed',
  retryAt: ago(0),
};

/** A task with one run of each age, ended by the verdict that stands beside it. */
async function ended(name: string, runs: readonly (readonly [ageMs: number, verdict: Verdict | undefined])[]) {
  const taskId = await makeTask(db, { name });
  const queued = await queueRuns(
    db,
    runs.map(([ageMs]) => ({ taskId, key: name, ageMs })),
  );
  for (const [index, [, verdict]] of runs.entries()) {
    const run = queued[index];
    if (!run || !verdict) continue;
    const [mine] = await begun(db, [run]);
    if (mine) await finishRuns(db, [finishRequest(mine, verdict)]);
  }
  return queued;
}

const error = { name: 'Error', message: 'boom' };

test('runs are listed the latest first, by task, state and time', async () => {
  const [oldest, middle, latest] = await ended('list-a', [
    [9 * MINUTE, SUCCEEDED],
    [6 * MINUTE, { ...FAILED, error }],
    [3 * MINUTE, undefined],
  ]);
  const [other] = await ended('list-b', [[4 * MINUTE, SUCCEEDED]]);
  const ids = async (filter: Partial<Parameters<typeof listRuns>[1]>) =>
    (await listRuns(db, { limit: 100, ...filter })).map(({ id }) => id);
  expect(await ids({})).toEqual([latest?.runId, other?.runId, middle?.runId, oldest?.runId]);
  expect(await ids({ limit: 2 })).toEqual([latest?.runId, other?.runId]);
  expect(await ids({ taskName: 'list-a' })).toEqual([latest?.runId, middle?.runId, oldest?.runId]);
  expect(await ids({ states: ['failed'] })).toEqual([middle?.runId]);
  expect(await ids({ taskName: 'list-a', states: ['queued', 'failed'] })).toEqual([latest?.runId, middle?.runId]);
  expect(await ids({ since: ago(7 * MINUTE), until: ago(5 * MINUTE) })).toEqual([middle?.runId]);
  expect(await ids({ since: middle?.scheduledFor ?? ago(0), until: latest?.scheduledFor ?? ago(0) })).toEqual([
    other?.runId,
    middle?.runId,
  ]);
  expect(await ids({ taskName: 'nobody' })).toEqual([]);
});

test('a run is found by its id alone, with its earlier attempts', async () => {
  const [run] = await ended('find', [[MINUTE, AGAIN]]);
  if (!run) throw new Error('no fixture');
  expect(await findRun(db, run.runId)).toMatchObject({
    id: run.runId,
    taskName: 'find',
    state: 'retrying',
    attempt: 1,
  });
  expect(await readAttempts(db, run.runId)).toMatchObject([{ attempt: 1, outcome: 'failed', reason: 'exit code 3' }]);
  expect(await findRun(db, 'nonsense')).toBeNull();
  expect(
    await findRun(
      db,
      run.runId.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ),
  ).toBeNull();
  expect(await findRun(processes.two, run.runId)).not.toBeNull();
});

test('attempts of another run of the same instant are not among those of a run', async () => {
  const [run] = await ended('alone', [[2 * MINUTE, AGAIN]]);
  if (!run) throw new Error('no fixture');
  const { scheduledFor } = run;
  const other = { id: newRunId(scheduledFor), scheduledFor, taskId: await makeTask(db, { name: 'beside' }) };
  await triggerRun(db, { ...other, origin: 'trigger', key: 'beside', payload: undefined, by: by('test') });
  await db.pool.query(
    `INSERT INTO attempt SELECT (jsonb_populate_record(a, jsonb_build_object('run_id', $2::text, 'reason', 'another'))).* FROM attempt a
     WHERE run_id = $1`,
    [run.runId, other.id],
  );
  const reasons = async (id: string) => (await readAttempts(db, id)).map(({ reason }) => reason);
  expect([await reasons(run.runId), await reasons(other.id)]).toEqual([['exit code 3'], ['another']]);
});

test('statistics count what became of the runs, and time those that ran', async () => {
  await ended('stats', [
    [9 * MINUTE, SUCCEEDED],
    [8 * MINUTE, { ...FAILED, error }],
    [7 * MINUTE, SUCCEEDED],
    [6 * MINUTE, undefined],
  ]);
  const [stats, ...others] = await taskStats(db, { name: 'stats', since: ago(60 * MINUTE) });
  expect(others).toEqual([]);
  expect(stats).toMatchObject({ count: 4, succeeded: 2, failed: 1, notRun: 0, open: 1 });
  expect(stats?.p50Ms).toBeGreaterThanOrEqual(0);
  expect(stats?.p95Ms).toBeGreaterThanOrEqual(stats?.p50Ms ?? 0);
  expect(stats?.lastError).toMatchObject({ state: 'failed', reason: 'exit code 3', error });
  const [later] = await taskStats(db, { name: 'stats', since: ago(0) });
  expect(later).toEqual({
    name: 'stats',
    count: 0,
    succeeded: 0,
    failed: 0,
    notRun: 0,
    open: 0,
    p50Ms: null,
    p95Ms: null,
    lastError: null,
  });
});

test('statistics begin with the very instant asked for, for what has ended, failed and is open', async () => {
  const [failed] = await ended('instant', [[5 * MINUTE, { ...FAILED, error }]]);
  const [open] = await ended('instant-open', [[5 * MINUTE, undefined]]);
  if (!failed || !open) throw new Error('no fixture');
  const since = async (name: string, { scheduledFor }: { scheduledFor: Date }, ms: number) =>
    (await taskStats(db, { name, since: new Date(scheduledFor.getTime() + ms) }))[0];
  expect(await since('instant', failed, 0)).toMatchObject({ count: 1, failed: 1, lastError: { runId: failed.runId } });
  expect(await since('instant', failed, 1)).toMatchObject({ count: 0, failed: 0, lastError: null });
  expect(await since('instant-open', open, 0)).toMatchObject({ count: 1, open: 1 });
  expect(await since('instant-open', open, 1)).toMatchObject({ count: 0, open: 0 });
});

test('processes that send heartbeats are listed with the age of their heartbeat', async () => {
  const worker = { id: 'w1', role: 'worker', host: 'h', pid: 1, appVersion: '1', pools: ['default'] } as const;
  await writeHeartbeat(db, worker, { activeRuns: [], clockOffsetMs: 3 });
  const [found] = await listProcesses(db, { withinMs: 10_000 });
  expect(found).toMatchObject({
    id: 'w1',
    role: 'worker',
    pools: ['default'],
    clockOffsetMs: 3,
    activeRuns: 0,
    plannedAgeMs: null,
  });
  expect(found?.heartbeatAgeMs).toBeLessThan(10_000);
});

test('the database says which of its settings matter', async () => {
  expect(await inspectDatabase(db)).toMatchObject({
    version: expect.stringMatching(/^\d+/),
    fsync: expect.any(Boolean),
    readOnly: false,
    planErrors: 0,
    unplannable: [],
    pendingDeliveries: 0,
  });
});
