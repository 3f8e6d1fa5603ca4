import { type RunState, scheduledForOf } from '@escapement/core';
import type { Lease, LeaseHolder, LeaseKeeper } from '@escapement/queue';
import { type Database, lookUpRuns, type RunSketch } from '@escapement/store';

/** How long to wait for a holder that has not begun yet to begin or give up. */
const UNDECIDED_WAIT_MS = 25;
const UNDECIDED_TRIES = 80;

export type LeaseStep =
  /** Null: the task allows overlap, its runs take no slot. */
  | { kind: 'leased'; lease: Lease | null }
  | { kind: 'busy'; holder: string }
  /** Nobody could say who is right; the reconciler brings the run back. */
  | { kind: 'undecided' };

export interface LeaseDeps {
  db: Database;
  leases: LeaseKeeper;
  workerId: string;
}

/**
 * Asks for a slot of the run's key. A holder counts only if the ledger knows it as begun and open, or as the next in the wait queue
 * for whom the slot is reserved: a lease that a dead worker left behind is taken over, so that there are no ghost skips
 * after a crash.
 */
export async function takeLease(run: RunSketch, dispatch: number, deps: LeaseDeps): Promise<LeaseStep> {
  if (run.overlap === 'allow') return { kind: 'leased', lease: null };
  const request = {
    key: run.key,
    limit: run.keyLimit,
    runId: run.runId,
    worker: deps.workerId,
    dispatch,
  };
  for (let tries = 0; tries < UNDECIDED_TRIES; tries++) {
    const result = await deps.leases.acquire(request);
    if (result.held) return { kind: 'leased', lease: result.lease };
    // Delivered twice: who has it under this very dispatch goes on with it.
    if (result.holders.some((holder) => holder.runId === run.runId)) return { kind: 'undecided' };
    const judged = await judgeHolders(deps.db, result.holders);
    if (judged.open !== undefined) return { kind: 'busy', holder: judged.open };
    if (judged.over) {
      const taken = await deps.leases.takeOver({ ...request, slot: judged.over.slot, fromRunId: judged.over.runId });
      if (taken.held) return { kind: 'leased', lease: taken.lease };
    }
    await new Promise((resolve) => setTimeout(resolve, UNDECIDED_WAIT_MS));
  }
  return { kind: 'undecided' };
}

/** The lease of a run on one slot of its key, and the way to the next slot. */
export interface Slots {
  readonly lease: Lease | null;
  /** Gives the slot back and takes another one that is free; false: none is left that was not tried. */
  moveOn(): Promise<boolean>;
}

export function slotsOf(run: RunSketch, dispatch: number, first: Lease | null, deps: LeaseDeps): Slots {
  let tried: Set<number> | undefined;
  // A field and no getter: each object with a getter of its own has a shape of its own, and there is one for each run.
  const slots = { lease: first, moveOn };

  async function moveOn(): Promise<boolean> {
    if (!first || run.keyLimit === 1) return false;
    tried ??= new Set([first.slot]);
    if (tried.size >= run.keyLimit) return false;
    await slots.lease?.release();
    slots.lease = null;
    const request = { key: run.key, limit: run.keyLimit, runId: run.runId, worker: deps.workerId, dispatch };
    for (let slot = 1; slot <= run.keyLimit; slot++) {
      if (tried.has(slot)) continue;
      tried.add(slot);
      const taken = await deps.leases.takeOver({ ...request, slot, fromRunId: run.runId });
      if (!taken.held) continue;
      slots.lease = taken.lease;
      return true;
    }
    return false;
  }

  return slots;
}

interface Judgement {
  /** A run that is in the way of this one, if all slots are rightly held. */
  open?: string;
  /** A slot whose holder is over. */
  over?: LeaseHolder;
}

async function judgeHolders(db: Database, holders: readonly LeaseHolder[]): Promise<Judgement> {
  const sketches = await lookUpRuns(
    db,
    holders.map(({ runId }) => ({ runId, scheduledFor: scheduledForOf(runId) })),
  );
  const over = holders.find((holder, index) => isOver(holder, sketches[index]));
  if (over) return { over };
  const decided = holders.every((holder, index) => isReserved(holder) || (sketches[index]?.attempt ?? 0) > 0);
  const first = holders[0];
  return decided && first ? { open: first.runId } : {};
}

function isReserved({ dispatch }: LeaseHolder): boolean {
  return dispatch === 0;
}

/** What neither runs nor is about to has given its slot back, or never had it; only its lease outlives that. */
const HOLDING: readonly RunState[] = ['planned', 'queued', 'running', 'retrying'];

function isOver(holder: LeaseHolder, sketch: RunSketch | null | undefined): boolean {
  if (!sketch || !HOLDING.includes(sketch.state)) return true;
  return isReserved(holder) && sketch.state !== 'queued';
}
