import {
  type By,
  DAY,
  EscapementError,
  formatSpan,
  HOUR,
  type LedgerVerification,
  ledgerVerification,
  MINUTE,
  SECOND,
  type VerifyLedgerJob,
  verifyLedgerJob,
} from '@escapement/core';
import { type LabelSelector, parseSelector } from '@escapement/core/rights';
import { isGap } from '@escapement/core/verify-ledger';
import {
  type Database,
  keepProgress,
  listRequests,
  pingDatabase,
  putRequest,
  type RequestView,
  readRequest,
  type TakenRequest,
} from '@escapement/store';
import { type RequestState, requestState } from '../bulk/state.ts';
import { permitReading, type Reading } from '../rights/reading.ts';
import { requireTask } from '../tasks/require-task.ts';
import { unseenByVerification } from '../verify-ledger/unseen.ts';
import { type LedgerFinding, VERIFY_DELAY_MS, verifyLedger } from '../verify-ledger/verify-ledger.ts';

/** After it no scheduler begins any more. */
const PATIENCE_MS = 5 * MINUTE;
/** Ledger that is compared in one go. */
const PIECE_MS = 1 * HOUR;
/** Who compares says so often that it is alive. */
const RENEW_MS = 5 * SECOND;
const MOST_MS = 31 * DAY;
/** Findings that are named. */
const NAMED = 100;
/** Jobs that are looked through for one that goes on. */
const LOOKED_AT = 100;

export interface VerificationAsked {
  /** First occurrence. */
  from: Date;
  /** Last occurrence; at most ten seconds ago, by Postgres' clock. */
  to: Date;
  /** Only of this task. */
  task?: string | undefined;
  /** Only of tasks that have these labels. */
  labels?: LabelSelector | undefined;
}

/**
 * Asks the schedulers to compare the ledger with the schedules. One of them does it, an hour of ledger after the other; whoever takes over
 * from it goes on there. Returns the id of the job. The right is `read`, on what is compared. Throws `bad_range`, `unknown_task`, and
 * `verification_runs` while another one goes on.
 */
export async function askLedgerVerification(db: Database, asked: VerificationAsked, by: By): Promise<string> {
  const { task, labels, from } = asked;
  await permitReading(db, by, { right: 'read', of: readingOf({ task, labels }) });
  if (task !== undefined) await requireTask(db, task);
  const { now } = await pingDatabase(db);
  const to = new Date(Math.min(asked.to.getTime(), now.getTime() - VERIFY_DELAY_MS));
  checkRange(from, to);
  const open = (await listRequests(db, LOOKED_AT, { job: 'verify_ledger' })).find(
    (each) => each.result === null && each.expiresAt > now,
  );
  if (open)
    throw new EscapementError('verification_runs', `the ledger is being verified: ${open.id}`, {
      fix: 'wait for its end',
    });
  const request: VerifyLedgerJob = {
    ...{ kind: 'verify_ledger', task: task ?? null, labels: labels?.text ?? null },
    ...{ from: from.toISOString(), to: to.toISOString() },
  };
  return await putRequest(db, { request, by, patienceMs: PATIENCE_MS, inChunks: true });
}

function checkRange(from: Date, to: Date): void {
  const words = `nothing can be verified from ${from.toISOString()} to ${to.toISOString()}`;
  if (from >= to)
    throw new EscapementError('bad_range', words, { fix: 'begin at least ten seconds ago, and before the end' });
  if (to.getTime() - from.getTime() > MOST_MS)
    throw new EscapementError('bad_range', words, { fix: `verify ${formatSpan(MOST_MS)} at most` });
}

function readingOf({ task, labels }: Pick<VerificationAsked, 'task' | 'labels'>): Reading['of'] {
  if (task !== undefined) return { task };
  return labels ? { labels } : null;
}

/** A verification that somebody asked for. */
export interface VerificationView extends Pick<RequestView, 'id' | 'askedBy' | 'reason' | 'askedAt' | 'answeredAt'> {
  job: VerifyLedgerJob;
  status: RequestState<LedgerVerification, LedgerVerification>;
}

/** The verification of an id. Throws `unknown_verification`. */
export async function requireVerification(db: Database, id: string, now: Date): Promise<VerificationView> {
  const found = await readRequest(db, id);
  const view = found && viewOf(found, now);
  if (view) return view;
  throw new EscapementError('unknown_verification', `there is no verification ${id}`, {
    fix: 'they are kept for a day after their end',
  });
}

/** The verifications of the last day, the latest first. */
export async function listVerifications(db: Database, limit: number, now: Date): Promise<VerificationView[]> {
  return (await listRequests(db, limit, { job: 'verify_ledger' })).flatMap((each) => viewOf(each, now) ?? []);
}

/** What somebody has to be allowed to read, to be shown a verification. */
export function readingOfVerification({ job: { task, labels } }: VerificationView): Reading['of'] {
  return readingOf({ task: task ?? undefined, labels: labels === null ? undefined : parseSelector(labels) });
}

function viewOf(request: RequestView, now: Date): VerificationView | undefined {
  const { data: job } = verifyLedgerJob.safeParse(request.request);
  if (!job) return undefined;
  const { id, askedBy, reason, askedAt, answeredAt } = request;
  const status = requestState(request, now, {
    progress: (progress) => ledgerVerification.safeParse(progress).data,
    result: (answer) => ledgerVerification.parse(answer),
  });
  return { id, askedBy, reason, askedAt, answeredAt, job, status };
}

/**
 * Takes a verification one piece on. Returns what came of it once all is compared; null: there is more to do, by whomever. Who takes over
 * from a scheduler that died compares its piece again.
 */
export async function verifyNextPiece(
  db: Database,
  job: VerifyLedgerJob,
  { id, progress: kept }: TakenRequest,
  taker: string,
): Promise<LedgerVerification | null> {
  const before = ledgerVerification.safeParse(kept).data ?? beginning(job);
  const end = new Date(job.to);
  const from = new Date(before.verifiedTo);
  if (from >= end) return before;
  const to = new Date(Math.min(from.getTime() + PIECE_MS, end.getTime()));
  const keep = (progress: LedgerVerification, release: boolean) => keepProgress(db, { id, taker, progress, release });
  // What goes wrong with it shows when the piece is kept.
  const renewing = setInterval(() => void keep(before, false).catch(() => false), RENEW_MS);
  try {
    const after = await comparePiece(db, job, { before, from, to });
    if (to >= end) return { ...after, unseen: (await unseenOf(db, job)) ?? null };
    await keep(after, true);
    return null;
  } finally {
    clearInterval(renewing);
  }
}

async function unseenOf(db: Database, { from, to }: VerifyLedgerJob): Promise<string | undefined> {
  return await unseenByVerification(db, { from: new Date(from), to: new Date(to) });
}

/** Up to and including: the first instant itself is to be compared too. */
function beginning({ from }: VerifyLedgerJob): LedgerVerification {
  const verifiedTo = new Date(Date.parse(from) - 1).toISOString();
  return { verifiedTo, tasks: 0, expected: 0, rows: 0, findings: 0, gaps: 0, named: [], unseen: null };
}

async function comparePiece(
  db: Database,
  { task, labels }: VerifyLedgerJob,
  { before, from, to }: { before: LedgerVerification; from: Date; to: Date },
): Promise<LedgerVerification> {
  const gaps: LedgerFinding[] = [];
  const others: LedgerFinding[] = [];
  const summary = await verifyLedger(db, {
    ...{ from, to, task: task ?? undefined },
    labels: labels === null ? undefined : parseSelector(labels),
    onFinding(finding) {
      const found = isGap(finding) ? gaps : others;
      if (found.length < NAMED) found.push(finding);
    },
  });
  const known = before.named.slice(0, Math.min(before.gaps, NAMED));
  const late = before.named.slice(known.length);
  return {
    verifiedTo: to.toISOString(),
    tasks: Math.max(before.tasks, summary.tasks),
    expected: before.expected + summary.expected,
    rows: before.rows + summary.rows,
    findings: before.findings + summary.findings,
    gaps: before.gaps + summary.gaps,
    named: [...known, ...gaps.map(named), ...late, ...others.map(named)].slice(0, NAMED),
    unseen: null,
  };
}

function named({ kind, task, scheduledFor, runId, detail }: LedgerFinding): LedgerVerification['named'][number] {
  return { kind, task, scheduledFor: scheduledFor.toISOString(), runId: runId ?? null, detail };
}
