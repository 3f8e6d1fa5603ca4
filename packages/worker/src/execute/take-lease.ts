import { OVERLAP_RULES, type RunState } from '@escapement/core';
import type { AcquireRequest, Lease, LeaseHolder, LeaseKeeper } from '@escapement/queue';
import type { RunSketch } from '@escapement/store';
import type { Execution } from './execution.ts';
import type { RunLedger } from './run-ledger.ts';

/** How long to wait for a holder that has not begun yet to begin or give up. */
const UNDECIDED_WAIT_MS = 25;
const UNDECIDED_TRIES = 80;

export type LeaseStep =
  /** Null: the task allows overlap, its runs take no slot. */
  | { kind: 'leased'; lease: Lease | null }
  | { kind: 'busy'; holder: string }
  /** Nobody could say who is right; the reconciler brings the run back. */
  | { kind: 'undecided' };

export interface LeaseParts {
  leases: LeaseKeeper;
  ledger: Pick<RunLedger, 'lookUpAll'>;
  workerId: string;
}

/**
 * Asks for a slot of the run's key. A holder counts only if the ledger knows it as begun and open, or as the next in the wait queue
 * for whom the slot is reserved: a lease that a dead worker left behind is taken over, so that there are no ghost skips
 * after a crash.
 */
export async function takeLease(execution: Execution, parts: LeaseParts): Promise<LeaseStep> {
  const { run } = execution;
  if (!OVERLAP_RULES[run.overlap].takesSlot) return { kind: 'leased', lease: null };
  const { leases, ledger } = parts;
  const request = requestOf(execution, parts);
  for (let tries = 0; tries < UNDECIDED_TRIES; tries++) {
    const result = await leases.acquire(request);
    if (result.held) return { kind: 'leased', lease: result.lease };
    // Delivered twice: who has it under this very dispatch goes on with it.
    if (result.holders.some((holder) => holder.runId === run.runId)) return { kind: 'undecided' };
    const judged = await judgeHolders(ledger, run.key, result.holders);
    if (judged.open !== undefined) return { kind: 'busy', holder: judged.open };
    if (judged.over) {
      const taken = await leases.takeOver({ ...request, slot: judged.over.slot, fromRunId: judged.over.runId });
      if (taken.held) return { kind: 'leased', lease: taken.lease };
    }
    await new Promise((resolve) => setTimeout(resolve, UNDECIDED_WAIT_MS));
  }
  return { kind: 'undecided' };
}

function requestOf({ run, dispatch }: Execution, { workerId }: LeaseParts): AcquireRequest {
  return { key: run.key, limit: run.keyLimit, slot: run.slot, runId: run.runId, worker: workerId, dispatch };
}

/** The lease of a run on one slot of its key, and the way to the next slot. */
export interface Slots {
  readonly lease: Lease | null;
  /** Gives the slot back and takes another one that is free; false: none is left that was not tried. */
  moveOn(): Promise<boolean>;
}

export function slotsOf(execution: Execution, first: Lease | null, parts: LeaseParts): Slots {
  const { run } = execution;
  let tried: Set<number> | undefined;
  // A field and no getter: each object with a getter of its own has a shape of its own, and there is one for each run.
  const slots = { lease: first, moveOn };

  async function moveOn(): Promise<boolean> {
    if (!first || run.keyLimit === 1) return false;
    tried ??= new Set([first.slot]);
    if (tried.size >= run.keyLimit) return false;
    await slots.lease?.release();
    slots.lease = null;
    const request = requestOf(execution, parts);
    for (let slot = 1; slot <= run.keyLimit; slot++) {
      if (tried.has(slot)) continue;
      tried.add(slot);
      const taken = await parts.leases.takeOver({ ...request, slot, fromRunId: run.runId });
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

async function judgeHolders(
  ledger: LeaseParts['ledger'],
  key: string,
  holders: readonly LeaseHolder[],
): Promise<Judgement> {
  const sketches = await ledger.lookUpAll(holders.map(({ runId }) => runId));
  const over = holders.find((holder, index) => isOver(holder, key, sketches[index]));
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

/** So is that of a run of another key, which nobody gave it: somebody has written the lease into Redis. */
function isOver(holder: LeaseHolder, key: string, sketch: RunSketch | null | undefined): boolean {
  if (!sketch || sketch.key !== key || !HOLDING.includes(sketch.state)) return true;
  return isReserved(holder) && sketch.state !== 'queued';
}
