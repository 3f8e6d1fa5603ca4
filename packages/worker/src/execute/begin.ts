import { randomUUID } from 'node:crypto';
import type { Lease } from '@escapement/queue';
import type { BeginRequest, BeginResult, BegunRun, RunSketch } from '@escapement/store';
import { handleBusyKey, refuse, wakeBehind } from './busy-key.ts';
import type { ExecuteDeps, Way } from './execute-deps.ts';
import { MAX_EARLY_MS } from './look-up.ts';
import { persist } from './persist.ts';
import type { Slots } from './take-lease.ts';

/** Times a begin that lost a race is asked again. */
const MAX_BEGINS = 5;

/**
 * Begins the run on a slot that is free in the ledger too: a run between its attempts keeps its slot there, but has no
 * lease. The key is busy only when all its slots are.
 */
export async function beginOnFreeSlot(
  run: RunSketch,
  dispatch: number,
  slots: Slots,
  deps: ExecuteDeps,
): Promise<BegunRun | Way> {
  for (;;) {
    const begun = await begin(run, dispatch, slots.lease, deps);
    if (typeof begun === 'string') return begun;
    if (begun.kind === 'begun') {
      wakeBehind(run, deps);
      return begun.run;
    }
    if (begun.anySlot || !(await slots.moveOn())) return await handleBusyKey(run, dispatch, deps);
  }
}

/** Begins the run in the ledger. */
async function begin(
  run: RunSketch,
  dispatch: number,
  lease: Lease | null,
  deps: ExecuteDeps,
): Promise<Extract<BeginResult, { kind: 'begun' | 'busy' }> | Way> {
  const request: BeginRequest = {
    runId: run.runId,
    scheduledFor: run.scheduledFor,
    dispatch,
    beginId: randomUUID(),
    key: run.key,
    slot: lease?.slot ?? null,
    worker: deps.workerId,
    rated: run.rated,
  };
  for (let tries = 0; tries < MAX_BEGINS; tries++) {
    const result = await persist(() => deps.begins.submit(request), deps.mayPersist);
    switch (result.kind) {
      case 'begun':
      case 'busy':
        return result;
      case 'stale':
      // A scheduler judges it, and queues it anew if it is to run.
      case 'misfire':
        return 'done';
      case 'ended':
        return await refuse(run, result.seen, { ...result, to: result.state }, deps);
      case 'early':
        if (result.remainingMs > MAX_EARLY_MS) return 'done';
        await new Promise((resolve) => setTimeout(resolve, result.remainingMs + 1));
    }
  }
  return 'done';
}
