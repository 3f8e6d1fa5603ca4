import { type By, isTerminal, type Lateness, partsOfLateness, scheduledForOf } from '@escapement/core';
import { traceUrlOf } from '@escapement/core/traces';
import {
  type AuditEntry,
  auditEntries,
  type BatchView,
  batchesOfRun,
  type Database,
  marksOf,
  type PastAttempt,
  type RateTurn,
  type RunTree,
  type RunView,
  rateTurn,
  readAttempts,
  readFollowers,
  whatRunHas,
} from '@escapement/store';
import { asSeenBy } from '../rights/labels-seen.ts';
import { type Waits, whyRunWaits } from '../unserved.ts';

/** Everything about a run. */
export interface RunDescription extends RunView {
  /** Where its trace can be seen; null: nobody has said where, or the run has not begun, and has none yet. */
  traceUrl: string | null;
  /** Where the time went between when it was due and when it began; null: it has not begun, or was tried again. */
  lateness: Lateness | null;
  /** When it may start by the rate that it waits for; null: it waits for none. */
  rate: RateTurn | null;
  /** Why it has not begun; null: it has, or nothing is known that keeps it. */
  heldBack: Waits | null;
  /** Why it is suspicious, though it succeeded. */
  marks: { rule: string; detail: string }[];
  /** The earlier ones, the latest last. */
  attempts: PastAttempt[];
  /** What people did to it, the latest first. */
  audit: AuditEntry[];
  /** Its fan-outs. */
  batches: BatchView[];
  /** Runs that it has started, children of batches apart. Those of tasks that somebody may not see have no name. */
  followers: RunTree['runs'];
  /** What is still to be started. */
  followersOutbox: RunTree['followersOutbox'];
}

export interface DescribeOptions {
  /** By what a worker is taken for dead. Milliseconds. */
  deadMs: number;
  /** A template of URLs, as `ESCAPEMENT_TRACE_URL` has it. Default: none. */
  traceUrl?: string | undefined;
}

/** Reads what belongs to a run: no more than it has, since each page of a run asks this. */
export async function describeRun(
  db: Database,
  by: By,
  run: RunView,
  { deadMs, traceUrl }: DescribeOptions,
): Promise<RunDescription> {
  const { id, state } = run;
  const isHeldBack = !isTerminal(state) && state !== 'running';
  const has = await whatRunHas(db, id);
  const [rate, heldBack, marks, attempts, audit, batches, tree] = await Promise.all([
    state === 'waiting' ? rateTurn(db, id) : null,
    isHeldBack ? whyRunWaits(db, { runId: id, scheduledFor: scheduledForOf(id) }, { deadMs }) : null,
    has.marks ? marksOf(db, [id]) : [],
    has.attempts ? readAttempts(db, id) : [],
    has.audit ? auditEntries(db, { run: id }) : [],
    has.batches ? batchesOfRun(db, id) : [],
    has.followers ? readFollowers(db, id) : null,
  ]);
  const followers = tree?.runs.slice(1).filter(({ batchId }) => batchId === null) ?? [];
  return {
    ...run,
    traceUrl: traceUrl === undefined || run.attempt === 0 ? null : traceUrlOf(traceUrl, run),
    lateness: partsOfLateness(run),
    ...{ rate, heldBack, attempts, audit, batches },
    marks: marks.map(({ rule, detail }) => ({ rule, detail })),
    followers: await asSeenBy(db, by, followers),
    followersOutbox: tree?.followersOutbox ?? [],
  };
}
