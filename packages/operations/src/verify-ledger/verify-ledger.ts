import { DAY, HOUR, MINUTE } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import {
  compareChain,
  compareOccurrences,
  expectedFires,
  type InForce,
  isGap,
  type LedgerQuestion,
  type OccurrenceFinding,
} from '@escapement/core/verify-ledger';
import {
  calendarsInForce,
  type Database,
  ledgerRows,
  pingDatabase,
  plannedWorkers,
  sincePlannerPass,
  type TaskToVerify,
  tasksToVerify,
  vanishedTasks,
} from '@escapement/store';
import { withCalendars } from './in-force.ts';
import { judgeMaxRuns } from './max-runs.ts';
import { judgeRollUps } from './roll-ups.ts';
import { withZones, zonesInForce } from './zones-in-force.ts';

/** A fleet in which no planner has completed a pass for so long plans nothing. */
export const SILENT_MS = 1 * MINUTE;
/** Occurrences are compared as the ledger has them after this time: younger ones may still be on their way. */
export const VERIFY_DELAY_MS = 10_000;

const TASK_PAGE = 500;
/** A dense schedule is compared in pieces, so that memory is bounded. */
const SLICE_MS = 6 * HOUR;
/** Occurrences compared with one question to the ledger. */
const BATCH = 20_000;
const MAX_VANISHED = 100;

export interface LedgerFinding extends OccurrenceFinding {
  /** The task's name; of one that vanished, its id. */
  task: string;
}

export interface VerifyLedgerOptions {
  /** Occurrences after it. */
  from: Date;
  /** Up to and including it; at most ten seconds ago, by Postgres' clock. */
  to: Date;
  /** Roll-ups are compared of the hours that begin in this time. Default: that of the occurrences. */
  hours?: { from: Date; to: Date };
  /** Of this task only. */
  task?: string | undefined;
  /** Of the tasks that have these labels now. */
  labels?: LabelSelector | undefined;
  onFinding: (finding: LedgerFinding) => void;
}

export interface VerifyLedgerSummary {
  from: Date;
  to: Date;
  tasks: number;
  /** Occurrences that the schedules say. */
  expected: number;
  /** Rows that the ledger has. */
  rows: number;
  findings: number;
  /** Findings that break the promise; late starts do not. */
  gaps: number;
}

/** A task with what was in force, its calendars and the end of its schedule included. */
interface Verified extends Omit<TaskToVerify, 'versions'> {
  versions: InForce[];
  over: Set<number>;
}

interface Piece {
  task: Verified;
  question: Omit<LedgerQuestion, 'rows' | 'asOf'>;
  expected: number;
}

/**
 * Recomputes from every version of every task what should have happened, with the oracle, and compares it with the
 * ledger, and the ledger with its roll-ups. Changes nothing but what was rolled up wrong.
 */
export async function verifyLedger(db: Database, options: VerifyLedgerOptions): Promise<VerifyLedgerSummary> {
  const { now } = await pingDatabase(db);
  const to = new Date(Math.min(options.to.getTime(), now.getTime() - VERIFY_DELAY_MS));
  const window = { from: options.from, to };
  const summary: VerifyLedgerSummary = { ...window, tasks: 0, expected: 0, rows: 0, findings: 0, gaps: 0 };
  function report(finding: LedgerFinding): void {
    summary.findings += 1;
    if (isGap(finding)) summary.gaps += 1;
    options.onFinding(finding);
  }
  if (window.from >= window.to) return summary;

  async function comparePieces(pieces: readonly Piece[], slice: { from: Date; to: Date }): Promise<void> {
    if (pieces.length === 0) return;
    const rows = await ledgerRows(db, { taskIds: pieces.map(({ task }) => task.id), ...slice });
    const workers = await workersOf(db, pieces, slice);
    for (const { task, question, expected } of pieces) {
      const own = rows.get(task.id) ?? [];
      summary.expected += expected;
      summary.rows += own.filter(({ scheduledFor }) => scheduledFor > slice.from).length;
      const asked = { ...question, rows: own, workers: workers.get(task.id), asOf: now };
      for (const found of compare(asked, task)) report({ task: task.name, ...found });
    }
  }

  const [calendars, silentMs, zones] = await Promise.all([
    calendarsInForce(db, window),
    sincePlannerPass(db),
    zonesInForce(db, window.from),
  ]);
  const arePlanning = silentMs !== null && silentMs <= SILENT_MS;
  async function inForce(task: TaskToVerify): Promise<Verified> {
    const versions = withZones(withCalendars(task.versions, calendars), zones);
    const { findings, ...verdict } = await judgeMaxRuns(db, { task, versions, window, now });
    for (const found of findings) report({ task: task.name, ...found });
    // What nobody plans, or what cannot be planned, is not on its way.
    const plannedTo = arePlanning && task.planError === null ? task.plannedTo : null;
    return { ...task, ...verdict, plannedTo };
  }

  async function compareSlice(tasks: readonly Verified[], slice: { from: Date; to: Date }): Promise<void> {
    let pieces: Piece[] = [];
    let pending = 0;
    for (const task of tasks) {
      const piece = pieceOf(task, slice, now);
      if (!piece) continue;
      pieces.push(piece);
      pending += piece.expected;
      if (pending < BATCH) continue;
      await comparePieces(pieces, slice);
      pieces = [];
      pending = 0;
    }
    await comparePieces(pieces, slice);
  }

  for await (const page of taskPages(db, { ...options, ...window })) {
    summary.tasks += page.length;
    const tasks: Verified[] = [];
    for (const task of page) tasks.push(await inForce(task));
    for (const slice of slices(window)) await compareSlice(tasks, slice);
    const names = new Map(page.map(({ id, name }) => [id, name]));
    const hours = { ...(options.hours ?? window), taskIds: [...names.keys()] };
    for (const { taskId, ...found } of await judgeRollUps(db, hours))
      report({ task: names.get(taskId) ?? taskId, ...found });
  }
  if (options.task === undefined && options.labels === undefined)
    for (const gone of await vanishedTasks(db, { ...window, limit: MAX_VANISHED })) report(vanished(gone));
  return summary;
}

/** Asked of those tasks alone that have run on every worker. */
async function workersOf(db: Database, pieces: readonly Piece[], slice: { from: Date; to: Date }) {
  const taskIds = pieces.flatMap(({ task }) =>
    task.versions.some(({ onEveryWorker }) => onEveryWorker) ? [task.id] : [],
  );
  return taskIds.length > 0
    ? await plannedWorkers(db, { taskIds, ...slice })
    : new Map<string, Map<number, string[]>>();
}

async function* taskPages(
  db: Database,
  options: Pick<VerifyLedgerOptions, 'from' | 'to' | 'task' | 'labels'>,
): AsyncIterable<TaskToVerify[]> {
  const { from, to, task: name, labels } = options;
  let after: string | null = null;
  for (;;) {
    const page: TaskToVerify[] = await tasksToVerify(db, {
      from,
      to,
      after,
      limit: TASK_PAGE,
      name,
      labels,
    });
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (!last || page.length < TASK_PAGE) return;
    after = last.id;
  }
}

function* slices({ from, to }: { from: Date; to: Date }): Iterable<{ from: Date; to: Date }> {
  for (let start = from.getTime(); start < to.getTime(); start += SLICE_MS)
    yield { from: new Date(start), to: new Date(Math.min(start + SLICE_MS, to.getTime())) };
}

/** Undefined: the task has nothing to compare there, or its rows are no longer kept. */
function pieceOf(task: Verified, slice: { from: Date; to: Date }, now: Date): Piece | undefined {
  const kept = new Date(now.getTime() - task.retentionDays * DAY);
  if (slice.from < kept) return undefined;
  const { name, versions, pauses, over, plannedTo } = task;
  if (!versions.some((each) => each.effectiveAt < slice.to && (each.endedAt === null || each.endedAt > slice.from)))
    return undefined;
  const question = { name, versions, pauses, over, plannedTo, ...slice };
  return { task, question, expected: expectedFires(question).length };
}

function compare(question: LedgerQuestion, task: Verified): OccurrenceFinding[] {
  const found = [...compareOccurrences(question), ...compareChain(question)];
  if (task.planError === null) return found;
  return found.map((each) =>
    each.kind === 'missing'
      ? { ...each, detail: `${each.detail}; the task cannot be planned: ${task.planError}` }
      : each,
  );
}

function vanished(gone: { taskId: string; runId: string; scheduledFor: Date; key: string }): LedgerFinding {
  return {
    kind: 'vanished',
    task: gone.taskId,
    scheduledFor: gone.scheduledFor,
    runId: gone.runId,
    detail: `its task is gone from the database; its key was "${gone.key}"`,
  };
}
