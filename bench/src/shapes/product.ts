import { randomUUID } from 'node:crypto';
import { type BegunRun, beginRuns, type Database, finishAndWake, lookUpRuns, planRuns } from '@escapement/store';
import type { Shape, ShapeRun } from './shape.ts';

const WORKER = randomUUID();

/** The tables and statements of the product. Its ledger is filled already. */
export function product(db: Database): Shape {
  const begun = new Map<string, BegunRun>();
  const seqs = new Map<string, number>();
  return {
    name: 'the product',
    prepare: () => readSeqs(db, seqs),
    steps: [
      { name: 'plan', work: (runs) => plan(db, runs, seqs) },
      { name: 'look up', work: (runs) => lookUp(db, runs) },
      { name: 'begin', work: (runs) => begin(db, runs, begun) },
      { name: 'end', work: (runs) => end(db, runs, begun) },
    ],
  };
}

/** The planner has read them before it plans. */
async function readSeqs(db: Database, seqs: Map<string, number>): Promise<void> {
  const { rows } = await db.pool.query<{ task_id: string; plan_seq: number }>(
    'SELECT task_id, plan_seq FROM task_plan',
  );
  for (const row of rows) seqs.set(row.task_id, row.plan_seq);
}

async function plan(db: Database, runs: readonly ShapeRun[], seqs: Map<string, number>): Promise<void> {
  const moves = runs.map(({ taskId, at }) => {
    const planSeq = seqs.get(taskId) ?? 0;
    seqs.set(taskId, planSeq + 1);
    return { taskId, planSeq, nextRunAt: new Date(at.getTime() + 1) };
  });
  const { planned } = await planRuns(db, moves, runs.map(toPlanned));
  if (planned !== runs.length) throw new Error(`${planned} of ${runs.length} runs were planned`);
}

function toPlanned({ id, taskId, key, at }: ShapeRun) {
  return {
    ...({ id, taskId, scheduledFor: at, dueAt: at, misfireAt: null, origin: 'schedule', state: 'planned' } as const),
    ...{ reason: null, key, inTurn: false, untilAt: null, occurrences: 1 },
  };
}

async function lookUp(db: Database, runs: readonly ShapeRun[]): Promise<void> {
  const found = await lookUpRuns(db, runs.map(refOf), ['default']);
  if (found.includes(null)) throw new Error('a run was not found');
}

async function begin(db: Database, runs: readonly ShapeRun[], begun: Map<string, BegunRun>): Promise<void> {
  const requests = runs.map((run) => ({
    ...refOf(run),
    ...{ dispatch: 1, beginId: randomUUID(), key: run.key, slot: 1, worker: WORKER, rated: false, ordered: false },
  }));
  for (const result of await beginRuns(db, requests, ['default'])) {
    if (result.kind !== 'begun') throw new Error(`a run did not begin: ${result.kind}`);
    begun.set(result.run.runId, result.run);
  }
}

async function end(db: Database, runs: readonly ShapeRun[], begun: Map<string, BegunRun>): Promise<void> {
  const requests = runs.flatMap((run) => {
    const row = begun.get(run.id);
    begun.delete(run.id);
    return row === undefined ? [] : [requestOf(row)];
  });
  const results = await finishAndWake(db, requests);
  if (results.some(({ result }) => result !== 'applied')) throw new Error('a run did not end');
}

function requestOf({ runId, scheduledFor, dispatch, attempt, fence }: BegunRun) {
  return {
    ...{ runId, scheduledFor, seen: { state: 'running', dispatch, attempt }, fence, finishId: randomUUID() },
    verdict: { to: 'succeeded', reason: null, lost: false, uncounted: false } as const,
    countsFromEnd: false,
  };
}

const refOf = ({ id, at }: ShapeRun) => ({ runId: id, scheduledFor: at });
