import { createGatheredWaits, type Repeat, type RunRef } from '@escapement/queue';
import type { RunSketch } from '@escapement/store';
import type { ActiveRuns } from './active-runs.ts';
import { type BeginParts, beginOnFreeSlot } from './begin.ts';
import { type BusyKeyParts, createBusyKey } from './busy-key.ts';
import { type CallParts, call } from './call.ts';
import { claim } from './claim.ts';
import type { Delivery, Execution, Outcome } from './execution.ts';
import { type FinishParts, finish } from './finish.ts';
import { createFinishCompany } from './finish-company.ts';
import { handOver } from './hand-over.ts';
import { executionOf, lookUp, lookUpRepeat } from './look-up.ts';
import { lacksCode, type PassOnParts, passOn } from './pass-on.ts';
import type { RunLedger } from './run-ledger.ts';
import { type LeaseParts, slotsOf, takeLease } from './take-lease.ts';

/** Times a run that somebody else has changed meanwhile is judged anew. */
const MAX_TRIES = 5;

/** What each step needs is said there. */
export type ExecutorParts = LeaseParts &
  BusyKeyParts &
  Omit<BeginParts, 'busyKey'> &
  CallParts &
  PassOnParts &
  Omit<FinishParts, 'company'> & { ledger: RunLedger; active: ActiveRuns };

/** Takes runs through their steps: claim, look up, lease, begin, call, finish, hand over. */
export interface Executor {
  /** `releasePlace` is called when the run only waits: its place is for another. */
  execute(ref: RunRef, releasePlace: () => void): Promise<void>;
  /**
   * The same for the run that a repeat is for. There may be none: the planner is behind, the task is paused or was edited,
   * or the run has become a job of its own; then nothing is to be done.
   */
  executeRepeat(repeat: Repeat, releasePlace: () => void): Promise<void>;
}

export function createExecutor(parts: ExecutorParts): Executor {
  const { active } = parts;
  const lookUpParts = { ...parts, waits: createGatheredWaits() };
  const busyKey = createBusyKey(parts);
  const beginParts = { ...parts, busyKey };
  const finishParts = { ...parts, company: createFinishCompany({ underWay: () => active.size }) };

  /** `seen`: the run as it was just looked up. */
  async function take(delivery: Delivery, seen: RunSketch | null): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++)
      if ((await tryToTake(delivery, tries === 0 ? seen : null)) === 'done') return;
  }

  async function tryToTake(delivery: Delivery, seen: RunSketch | null): Promise<Outcome> {
    const claimed = await claim(delivery, active);
    if (claimed !== undefined) return claimed;
    try {
      const execution = seen ? executionOf(delivery, seen) : await lookUp(delivery, lookUpParts);
      return execution === 'done' ? 'done' : await underWay(execution);
    } finally {
      active.release(delivery.runId);
    }
  }

  async function underWay(execution: Execution): Promise<Outcome> {
    if (await lacksCode(execution, parts)) return await passOn(execution, parts);
    // Not one of those that ask for a lease: the one that may begin would have to get it before all of them.
    if (execution.run.behind) return await busyKey.wait(execution);
    const step = await takeLease(execution, parts);
    if (step.kind === 'busy') return await busyKey.wait(execution);
    if (step.kind === 'undecided') return 'done';
    const slots = slotsOf(execution, step.lease, parts);
    active.proveBy(execution.runId, (ms) => slots.lease?.isValidFor(ms) ?? false);
    try {
      const begunAt = parts.clock.now();
      const begun = await beginOnFreeSlot(execution, slots, beginParts);
      if (typeof begun === 'string') return begun;
      const called = await call(execution, begun, slots.lease, parts);
      const { queue, releasePlace, run } = execution;
      const woken = await finish(begun, { ...called, begunAt, queue, releasePlace, overlap: run.overlap }, finishParts);
      if (woken.length > 0) await handOver(woken, slots, parts.wake);
      return 'done';
    } finally {
      await slots.lease?.release();
    }
  }

  return {
    execute: ({ runId, queue, dispatch }, releasePlace) => take({ runId, queue, dispatch, releasePlace }, null),
    async executeRepeat(repeat, releasePlace) {
      const found = await lookUpRepeat(repeat, lookUpParts);
      if (found)
        await take({ runId: found.runId, queue: repeat.queue, dispatch: found.dispatch, releasePlace }, found.run);
    },
  };
}
