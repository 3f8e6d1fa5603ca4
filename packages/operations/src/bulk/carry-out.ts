import {
  type BulkAction,
  type BulkProgress,
  type BulkResult,
  bulkProgress,
  bulkResult,
  MINUTE,
} from '@escapement/core';
import { type Database, keepProgress, pingDatabase, type TakenRequest } from '@escapement/store';
import { type BulkStep, stepsOf } from './steps.ts';

/** Runs of a chunk. */
const CHUNK = 100;
/** Refused runs that are named. */
const NAMED = 100;
/** So long apart at least are runs that go on in an order of tasks: the ledger has no order of those that are due at one instant. */
const APART_MS = 1;
/** Held runs that go on later, or at a rate, are let go so long before they are due: until then they can be paused or cancelled. */
const AHEAD_MS = 1 * MINUTE;

/**
 * Takes a bulk action one chunk on. The choice of a chunk is kept before any run is changed, and what has come of it after:
 * whoever dies in between is followed by one who changes what is left of the same runs. Returns the result once all is
 * done, or what was begun of an act that was cancelled; null: there is more to do, by whomever; `later`: but not at once.
 */
export async function carryOutChunk(
  db: Database,
  action: BulkAction,
  { id, by, progress: kept, cancelled }: TakenRequest,
  taker: string,
): Promise<BulkResult | 'later' | null> {
  const steps = stepsOf(action);
  const keep = (progress: BulkProgress, release: boolean) => keepProgress(db, { id, taker, progress, release });
  let progress = bulkProgress.safeParse(kept).data ?? (await beginning(db, steps));
  if (progress.chunk.length === 0) {
    if (cancelled) return bulkResult.parse({ ...progress, cancelled });
    const chosen = await chooseChunk(db, action, steps, progress);
    if (chosen === 'later') {
      await keep(progress, true);
      return 'later';
    }
    progress = chosen;
    if (progress.step >= steps.length) return bulkResult.parse(progress);
    if (!(await keep(progress, false))) return null;
  }
  const step = steps[progress.step];
  if (!step) return bulkResult.parse(progress);
  const refused = await step.change(db, progress.chunk, by);
  const done = await step.done(db, progress.chunk);
  await keep(counted(progress, { done, refused, as: step.counts }), true);
  return null;
}

async function beginning(db: Database, steps: readonly BulkStep[]): Promise<BulkProgress> {
  const { now } = await pingDatabase(db);
  const totals = await Promise.all(steps.map((step) => step.count(db)));
  return {
    total: totals.reduce((sum, count) => sum + count, 0),
    done: 0,
    dropped: 0,
    passed: 0,
    refusedCount: 0,
    refused: [],
    begunAt: now.toISOString(),
    step: 0,
    after: null,
    chosen: 0,
    chunk: [],
  };
}

/**
 * With the next runs to be changed, of this step or of one that follows; without any there is nothing left to do. `later`: it is too early
 * for the next ones.
 */
async function chooseChunk(
  db: Database,
  action: BulkAction,
  steps: readonly BulkStep[],
  progress: BulkProgress,
): Promise<BulkProgress | 'later'> {
  const step = steps[progress.step];
  if (!step) return progress;
  const pace = step.counts === 'done' ? await paceOf(db, action, progress) : null;
  const limit = Math.min(CHUNK, limitOf(action) - progress.chosen, pace ? Math.max(1, pace.room) : CHUNK);
  const runs = limit > 0 ? await step.choose(db, { after: progress.after, limit }) : [];
  const last = runs.at(-1);
  if (!last)
    return await chooseChunk(db, action, steps, { ...progress, step: progress.step + 1, after: null, chosen: 0 });
  if (pace && pace.room === 0) return 'later';
  return {
    ...progress,
    after: { id: last.id, priority: last.priority, place: last.place ?? 1 },
    chosen: progress.chosen + runs.length,
    chunk: runs.map(({ priority: _, place: __, ...run }, index) => ({
      ...run,
      ...(pace ? { dueAt: pace.dueAt(index) } : {}),
    })),
    ...(pace ? { nextDueAt: pace.dueAt(runs.length) } : {}),
  };
}

function limitOf(action: BulkAction): number {
  return ('limit' in action ? action.limit : null) ?? Number.POSITIVE_INFINITY;
}

/** When held runs are due that go on. */
interface Pace {
  /** So many may be let go now. */
  room: number;
  /** Of the next one (0), the one after it, and so on. ISO 8601. */
  dueAt: (index: number) => string;
}

/** Null: the act has no such runs. A time in which it was paused is not made up for. */
async function paceOf(db: Database, action: BulkAction, { begunAt, nextDueAt }: BulkProgress): Promise<Pace | null> {
  if (action.kind !== 'run_held') return null;
  const { fromAt } = action;
  const spacingMs = action.order === undefined ? action.spacingMs : Math.max(APART_MS, action.spacingMs);
  if (spacingMs === 0 && fromAt === null) return { room: CHUNK, dueAt: () => begunAt };
  const nowMs = (await pingDatabase(db)).now.getTime();
  const nextMs = Math.max(nowMs, Date.parse(nextDueAt ?? fromAt ?? begunAt));
  const aheadMs = nowMs + AHEAD_MS - nextMs;
  const room = spacingMs === 0 ? (aheadMs < 0 ? 0 : CHUNK) : Math.max(0, Math.floor(aheadMs / spacingMs) + 1);
  return { room, dueAt: (index) => new Date(nextMs + Math.round(index * spacingMs)).toISOString() };
}

function counted(
  progress: BulkProgress,
  { done, refused, as }: { done: number; refused: BulkResult['refused']; as: BulkStep['counts'] },
): BulkProgress {
  return {
    ...progress,
    [as]: progress[as] + done,
    passed: progress.passed + progress.chunk.length - done - refused.length,
    refusedCount: progress.refusedCount + refused.length,
    refused: [...progress.refused, ...refused].slice(0, NAMED),
    chunk: [],
  };
}
