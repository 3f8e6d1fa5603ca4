import {
  type BulkAct,
  type BulkProgress,
  type BulkResult,
  bulkProgress,
  bulkResult,
  type Chosen,
} from '@escapement/core';
import { type Database, keepProgress, pingDatabase, type TakenRequest } from '@escapement/store';
import { type BulkStep, stepsOf } from './steps.ts';

/** Runs of a chunk. */
const CHUNK = 100;
/** Refused runs that are named. */
const NAMED = 100;

/**
 * Takes a bulk act one chunk on. The choice of a chunk is kept before any run is changed, and what has come of it after:
 * whoever dies in between is followed by one who changes what is left of the same runs. Returns the result once all is
 * done; null: there is more to do, by whomever.
 */
export async function carryOutChunk(
  db: Database,
  act: BulkAct,
  { id, by, progress: kept }: TakenRequest,
  taker: string,
): Promise<BulkResult | null> {
  const steps = stepsOf(act);
  const keep = (progress: BulkProgress, release: boolean) => keepProgress(db, { id, taker, progress, release });
  let progress = bulkProgress.safeParse(kept).data ?? (await beginning(db, steps));
  if (progress.chunk.length === 0) {
    progress = await chooseChunk(db, act, steps, progress);
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

/** With the next runs to be changed, of this step or of one that follows; without any there is nothing left to do. */
async function chooseChunk(
  db: Database,
  act: BulkAct,
  steps: readonly BulkStep[],
  progress: BulkProgress,
): Promise<BulkProgress> {
  const step = steps[progress.step];
  if (!step) return progress;
  const limit = Math.min(CHUNK, limitOf(act) - progress.chosen);
  const runs = limit > 0 ? await step.choose(db, { after: progress.after, limit }) : [];
  const last = runs.at(-1);
  if (!last) return await chooseChunk(db, act, steps, { ...progress, step: progress.step + 1, after: null, chosen: 0 });
  return {
    ...progress,
    after: { id: last.id, priority: last.priority },
    chosen: progress.chosen + runs.length,
    chunk: runs.map(({ priority: _, ...run }, index) => ({ ...run, ...dueOf(act, progress, index) })),
  };
}

function limitOf(act: BulkAct): number {
  return ('limit' in act ? act.limit : null) ?? Number.POSITIVE_INFINITY;
}

function dueOf(act: BulkAct, { begunAt, chosen }: BulkProgress, index: number): Pick<Chosen, 'dueAt'> {
  if (act.kind !== 'run_held') return {};
  const dueMs = Date.parse(begunAt) + Math.round((chosen + index) * act.spacingMs);
  return { dueAt: new Date(dueMs).toISOString() };
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
