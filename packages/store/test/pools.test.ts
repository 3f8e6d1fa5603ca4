import { newRunId } from '@escapement/core';
import { by } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import {
  auditEntries,
  beginRuns,
  findLateStarts,
  finishLateStarts,
  misfiredRuns,
  overdueRuns,
  pausePool,
  priorityPools,
  type RunCursor,
  readPools,
  resumePool,
  savePool,
  whatHoldsBack,
  writeHeartbeat,
} from '../src/index.ts';
import { ago, beginRequest, begun, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const DEAD_MS = 10_000;
const ANN = by('ann@host');

async function queuedIn(pool: string, name: string, ages: readonly number[], more: { startDeadlineMs?: number } = {}) {
  const taskId = await makeTask(one, { name, pool, overlap: 'allow', ...more });
  return await queueRuns(
    one,
    ages.map((ageMs) => ({ taskId, key: name, ageMs })),
  );
}

const pause = (name: string, untilAt: Date | null = null, note?: string) =>
  pausePool(one, name, untilAt, by('ann@host', note));

async function poolOf(name: string) {
  const [found] = await readPools(one, { deadMs: DEAD_MS, name });
  if (!found) throw new Error(`no pool ${name}`);
  return found;
}

it('no run of a paused pool begins, whatever made it; after the pause all do; other pools do meanwhile', async () => {
  const runs = await queuedIn('db1', 'in-db1', [3 * MINUTE, 2 * MINUTE]);
  const [other] = await queuedIn('db2', 'in-db2', [3 * MINUTE]);
  if (!other) throw new Error('no fixture');
  await one.pool.query(`UPDATE run SET origin = 'trigger' WHERE id = $1`, [runs[1]?.runId]);
  await pause('db1', null, 'new disks');
  const results = await beginRuns(one, [...runs, other].map(withoutSlot));
  expect(results.map(({ kind }) => kind)).toEqual(['pool_paused', 'pool_paused', 'begun']);
  for (const run of runs)
    expect(await whatHoldsBack(one, run)).toMatchObject({
      code: 'pool_paused',
      reason: 'the pool "db1" is paused: new disks',
    });
  expect(await resumePool(one, 'db1', ANN)).toBe(true);
  expect(await beginRuns(one, runs.map(withoutSlot))).toMatchObject([{ kind: 'begun' }, { kind: 'begun' }]);
  expect(await resumePool(one, 'db1', ANN)).toBe(false);
  expect(await auditEntries(one, { pool: 'db1' })).toMatchObject([
    { action: 'resume', principal: { name: 'ann@host' }, reason: null },
    { action: 'pause', principal: { name: 'ann@host' }, reason: 'new disks', detail: { until: null } },
  ]);
});

it('nothing is told of what holds back a run that is not there', async () => {
  expect(await whatHoldsBack(one, { runId: newRunId(ago(0)), scheduledFor: ago(0) })).toBeNull();
});

it('a pause counts from its first instant to before its last', async () => {
  const [run] = await queuedIn('ends', 'in-ends', [MINUTE]);
  if (!run) throw new Error('no fixture');
  await pause('ends', ago(-60 * MINUTE));
  expect((await poolOf('ends')).pause).toMatchObject({ by: 'ann@host', note: null });
  expect(await beginRuns(one, [withoutSlot(run)])).toMatchObject([{ kind: 'pool_paused', pool: 'ends' }]);
  await one.pool.query(`UPDATE pool SET paused_until = date_trunc('milliseconds', now()) WHERE name = 'ends'`);
  expect((await poolOf('ends')).pause).toBeNull();
  expect(await resumePool(one, 'ends', ANN)).toBe(false);
  expect(await beginRuns(one, [withoutSlot(run)])).toMatchObject([{ kind: 'begun' }]);
});

it('what cannot wait for the end of the pause says why it ended, or why it is judged', async () => {
  const [late] = await queuedIn('tight', 'in-tight', [30 * MINUTE], { startDeadlineMs: 10 * MINUTE });
  const [misfire] = await queuedIn('tight', 'misfire', [20 * MINUTE]);
  await one.pool.query(`UPDATE run SET misfire_at = due_at + interval '1 min' WHERE id = $1`, [misfire?.runId]);
  await pause('tight', null, 'move');
  const found = await misfiredRuns(one, 10);
  expect(found.tasks).toMatchObject([{ name: 'misfire', pool: 'tight', poolPauseNote: 'move' }]);
  expect(await finishLateStarts(one, await findLateStarts(one, { limit: 10, deadMs: DEAD_MS }))).toBe(1);
  const { rows } = await one.pool.query('SELECT state, reason FROM run WHERE id = $1', [late?.runId]);
  expect(rows).toEqual([
    {
      state: 'missed',
      reason: 'not started within 10 min of its due time (now 30 min late): the pool "tight" is paused: move',
    },
  ]);
});

it('the reconciler leaves the queue of a paused pool alone, and does not overlook others behind it', async () => {
  await queuedIn('long', 'in-long', [9 * MINUTE, 8 * MINUTE, 7 * MINUTE]);
  const [other] = await queuedIn('short', 'in-short', [MINUTE]);
  await pause('long');
  const ofThese = async () =>
    (await overdueRuns(one, { overdueMs: 1000, limit: 500, lookAt: 500 })).runs.filter(({ queue }) =>
      ['long+shell', 'short+shell'].includes(queue),
    );
  expect(await ofThese()).toMatchObject([{ id: other?.runId }]);
  await resumePool(one, 'long', ANN);
  expect((await ofThese()).length).toBe(4);
});

it('a look at what is overdue passes over a part of the queue of a paused pool, and the next goes on behind it', async () => {
  await one.pool.query('DELETE FROM run');
  await one.pool.query('DELETE FROM pool');
  await queuedIn('crowd', 'in-crowd', [9 * MINUTE, 8 * MINUTE, 7 * MINUTE]);
  const behind = await queuedIn('quiet', 'in-quiet', [6 * MINUTE, 5 * MINUTE, 4 * MINUTE]);
  const look = { overdueMs: 1000, limit: 2, lookAt: 2 };
  expect(await overdueRuns(one, look)).toMatchObject({
    runs: [{ queue: 'crowd+shell' }, { queue: 'crowd+shell' }],
    next: undefined,
  });
  await pause('crowd');
  const looks: string[][] = [];
  let after: RunCursor | undefined;
  do {
    const { runs, next } = await overdueRuns(one, { ...look, after });
    looks.push(runs.map(({ id }) => id));
    after = next;
  } while (after);
  const [first, second, third] = behind.map(({ runId }) => runId);
  expect(looks).toEqual([[], [first], [second, third], []]);
  // What was looked at behind the last that was found is looked at again.
  const short = await overdueRuns(one, { ...look, limit: 1, lookAt: 5 });
  expect(short).toMatchObject({ runs: [{ id: first }], next: { id: first } });
  await resumePool(one, 'crowd', ANN);
});

it('priorities of tasks count in a pool, unless people switch them off', async () => {
  await makeTask(one, { name: 'urgent', pool: 'ranked', priority: 50 });
  expect([...(await priorityPools(one))]).toEqual(['ranked']);
  await savePool(one, 'ranked', { priorities: false }, ANN);
  expect([...(await priorityPools(one))]).toEqual([]);
  await savePool(one, 'ranked', { expectedWorkers: 2 }, ANN);
  expect(await poolOf('ranked')).toMatchObject({ priorities: false, expectedWorkers: 2 });
  await savePool(one, 'ranked', { priorities: true, expectedWorkers: null }, ANN);
  expect([...(await priorityPools(one))]).toEqual(['ranked']);
  expect(await poolOf('ranked')).toMatchObject({ priorities: true, expectedWorkers: null });
});

it('a pool that nobody wrote down is there as soon as a task names it or a worker serves it, with its workers and runs', async () => {
  const runs = await queuedIn('plain', 'in-plain', [2 * MINUTE, MINUTE]);
  await begun(
    one,
    [runs[0]].flatMap((run) => (run ? [run] : [])),
  );
  const { rows } = await one.pool.query('SELECT due_at FROM run WHERE id = $1', [runs[1]?.runId]);
  const worker = { id: 'w1', role: 'worker', host: 'h', pid: 1, appVersion: '0', pools: ['plain', 'empty'] } as const;
  const { heldPools } = await writeHeartbeat(one, worker, { activeRuns: [], clockOffsetMs: 0 });
  expect(heldPools).toEqual([]);
  expect(await poolOf('plain')).toMatchObject({
    pause: null,
    expectedWorkers: null,
    workers: ['w1'],
    priorities: true,
    tasks: 1,
    waiting: 1,
    running: 1,
    oldestDueAt: rows[0]?.due_at,
    createdAt: null,
  });
  expect(await poolOf('empty')).toMatchObject({ workers: ['w1'], tasks: 0, waiting: 0, running: 0, oldestDueAt: null });
  await pause('empty');
  expect((await writeHeartbeat(one, worker, { activeRuns: [], clockOffsetMs: 0 })).heldPools).toEqual(['empty']);
  await one.pool.query(`UPDATE process SET heartbeat_at = now() - interval '11 s' WHERE id = 'w1'`);
  expect((await poolOf('plain')).workers).toEqual([]);
});

type Queued = Awaited<ReturnType<typeof queueRuns>>[number];

function withoutSlot(run: Queued) {
  return { ...beginRequest(run), slot: null };
}
