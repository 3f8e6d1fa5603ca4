import { newRunId, type RunState, SECOND } from '@escapement/core';
import { paceOf } from '@escapement/testkit';
import { everyGrid } from '../due.ts';
import type { Evidence, LedgerRun, LoadTask, MemberRecord, Move } from '../evidence.ts';
import { largest } from './extremes.ts';

/** Noon of some day, on the grid of all tasks. */
const START_MS = Date.UTC(2026, 5, 1, 12);
const EVERY_MS = 5 * SECOND;
const LEASE_MS = 6 * SECOND;
const RUN_MS = 800;
/** Those that were due before the stop; three more are planned ahead. */
const DUE = 12;
const STOP_MS = START_MS + DUE * EVERY_MS + 3 * SECOND;
/** Of task `report`: the run whose worker is killed, and the one that is skipped since that one has the key. */
export const LOST = 4;
export const SKIPPED = 5;
const KILLED_MS = START_MS + LOST * EVERY_MS + 300;

/** Evidence of a small fleet in which all is well, though a worker was killed. Negative controls spoil one thing in it. */
export function healthyEvidence(): Evidence {
  const evidence: Evidence = {
    tasks: [task('report'), task('mail')],
    runs: [],
    moves: [],
    calls: [],
    faults: [],
    pace: paceOf([]),
    leaseMs: LEASE_MS,
    members: [stopped('scheduler'), stopped('worker')],
    workersStopMs: STOP_MS,
    schedulersStopMs: STOP_MS,
  };
  for (const { name } of evidence.tasks)
    for (let index = 1; index <= DUE + 3; index++) {
      const run = plan(evidence, name, START_MS + index * EVERY_MS);
      if (name === 'report' && index === LOST) loseAndRetry(evidence, run);
      else if (name === 'report' && index === SKIPPED) skip(evidence, run, runAt(evidence, name, LOST));
      else if (index <= DUE) work(evidence, run, run.scheduledForMs + 10);
    }
  evidence.moves.sort((a, b) => a.atMs - b.atMs);
  for (const [index, move] of evidence.moves.entries()) move.seq = index + 1;
  return evidence;
}

/** The run of a task's occurrence, counted from 1. */
export function runAt(evidence: Evidence, taskName: string, index: number): LedgerRun {
  const run = evidence.runs.filter((each) => each.task === taskName)[index - 1];
  if (!run) throw new Error(`task ${taskName} has no occurrence ${index}`);
  return run;
}

/** The first write to a run's row that made it so. */
export function moveOf(evidence: Evidence, run: LedgerRun, to: RunState): Move {
  const found = evidence.moves.find((move) => move.runId === run.id && move.to === to);
  if (!found) throw new Error(`run ${run.id} never became ${to}`);
  return found;
}

/** Appends a write to a run's row, and lets the row follow. */
export function addMove(evidence: Evidence, run: LedgerRun, changes: Partial<Move> & Pick<Move, 'to' | 'atMs'>): Move {
  const last = evidence.moves.filter(({ runId }) => runId === run.id).at(-1);
  const seq =
    largest(
      0,
      evidence.moves.map((move) => move.seq),
    ) + 1;
  const move = { ...(last ?? unmade(run)), from: last?.to ?? null, reason: null, seq, ...changes };
  evidence.moves.push(move);
  const { to: state, reason, attempt, dueMs } = move;
  Object.assign(run, { state, reason, attempt, dueMs });
  return move;
}

function unmade(run: LedgerRun): Omit<Move, 'seq' | 'to' | 'atMs' | 'from'> {
  const nothing = { slot: null, fence: null, worker: null, reason: null, startedMs: null };
  return { runId: run.id, key: run.key, attempt: 0, dueMs: run.dueMs, ...nothing };
}

function plan(evidence: Evidence, taskName: string, scheduledForMs: number): LedgerRun {
  const counts = { occurrences: 1, attempt: 0, uncounted: 0, lost: 0 };
  const run: LedgerRun = {
    ...counts,
    id: newRunId(new Date(scheduledForMs)),
    task: taskName,
    origin: 'schedule',
    state: 'planned',
    reason: null,
    key: taskName,
    scheduledForMs,
    dueMs: scheduledForMs,
    untilMs: null,
    blockedBy: null,
    causeId: null,
  };
  evidence.runs.push(run);
  addMove(evidence, run, { to: 'planned', atMs: scheduledForMs - 8 * SECOND });
  addMove(evidence, run, { to: 'queued', atMs: scheduledForMs - 7 * SECOND });
  return run;
}

function begin(evidence: Evidence, run: LedgerRun, startedMs: number, worker: string): number {
  const fence =
    1 +
    largest(
      0,
      evidence.moves.filter(({ key }) => key === run.key).map((move) => move.fence ?? 0),
    );
  const attempt = run.attempt + 1;
  addMove(evidence, run, { to: 'running', atMs: startedMs, startedMs, worker, fence, attempt, slot: 1 });
  return fence;
}

function work(evidence: Evidence, run: LedgerRun, startedMs: number): void {
  const fence = begin(evidence, run, startedMs, 'worker-1');
  const endMs = startedMs + RUN_MS;
  addMove(evidence, run, { to: 'succeeded', atMs: endMs });
  report(evidence, run, { fence, startMs: startedMs + 5, endMs: endMs - 5, outcome: 'ok' });
}

function loseAndRetry(evidence: Evidence, run: LedgerRun): void {
  const startedMs = run.scheduledForMs + 10;
  const fence = begin(evidence, run, startedMs, 'worker-2');
  report(evidence, run, { fence, startMs: startedMs + 5, endMs: KILLED_MS, outcome: 'cut' });
  const foundMs = KILLED_MS + LEASE_MS + 500;
  addMove(evidence, run, { to: 'retrying', atMs: foundMs, dueMs: foundMs, reason: 'lost its worker worker-2' });
  Object.assign(run, { uncounted: 1, lost: 1 });
  addMove(evidence, run, { to: 'queued', atMs: foundMs + 20 });
  work(evidence, run, foundMs + 40);
  const killed = { worker: 'worker-2', runs: [run.id] };
  const excusedMs = KILLED_MS + LEASE_MS;
  const window = { fromMs: KILLED_MS, healedMs: KILLED_MS, excusedMs, recoveredMs: foundMs + 40, detail: '', killed };
  evidence.faults.push({ name: 'worker killed', ...window });
  evidence.members.push({ ...stopped('worker'), name: 'worker-2', end: 'killed', code: null, signal: 'SIGKILL' });
}

function skip(evidence: Evidence, run: LedgerRun, holder: LedgerRun): void {
  const reason = `the key "${run.key}" was held by run ${holder.id}`;
  addMove(evidence, run, { to: 'skipped', atMs: run.scheduledForMs + 10, reason });
  run.blockedBy = holder.id;
}

type Reported = Pick<Evidence['calls'][number], 'fence' | 'startMs' | 'endMs' | 'outcome'>;

function report(evidence: Evidence, run: LedgerRun, reported: Reported): void {
  evidence.calls.push({ runId: run.id, task: run.task, attempt: run.attempt, ...reported });
}

function task(name: string): LoadTask {
  const rules = {
    key: name,
    limit: 1,
    allowsOverlap: false,
    inOrder: false,
    atMostOnce: false,
    endsAs: ['succeeded' as const],
    maxAttempts: 1,
  };
  return { name, ...rules, dueAt: everyGrid(EVERY_MS), effectiveMs: START_MS + 1 };
}

function stopped(role: MemberRecord['role']): MemberRecord {
  return {
    name: `${role}-1`,
    role,
    end: 'stopped',
    code: 0,
    signal: null,
    stopMs: 400,
    graceMs: 3 * SECOND,
    log: [],
  };
}
