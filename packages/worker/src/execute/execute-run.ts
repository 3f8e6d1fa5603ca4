import type { Lease, RunRef } from '@escapement/queue';
import type { RunSketch, WokenRun } from '@escapement/store';
import { beginOnFreeSlot } from './begin.ts';
import { handleBusyKey } from './busy-key.ts';
import { callAndFinish } from './call-and-finish.ts';
import type { ExecuteDeps, Way } from './execute-deps.ts';
import { lookUp } from './look-up.ts';
import { type Slots, slotsOf, takeLease } from './take-lease.ts';

/** Times a run that somebody else has changed meanwhile is judged anew. */
const MAX_TRIES = 5;

/** Takes one run through its steps: look up (unless just `seen`), lease, begin, handler, finish, release. */
export async function executeRun(ref: RunRef, deps: ExecuteDeps, seen?: RunSketch): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++)
    if ((await tryRun(ref, deps, tries === 0 ? seen : undefined)) === 'done') return;
}

async function tryRun(ref: RunRef, deps: ExecuteDeps, seen: RunSketch | undefined): Promise<Way> {
  // From here on the heartbeats list the run, so that the reconciler knows in whose hands its job is.
  const claim = deps.active.claim(ref.runId, ref.dispatch);
  // A job delivered twice to the same process: who came first goes on with it.
  if (claim === 'twice') return 'done';
  if (claim === 'earlier') {
    await deps.active.released(ref.runId);
    return 'changed';
  }
  try {
    const run = seen ?? (await lookUp(ref, deps));
    if (!run) return 'done';
    // Not one of those that ask for a lease: the one that may begin would have to get it before all of them.
    if (run.behind) return await handleBusyKey(run, ref.dispatch, deps);
    const step = await takeLease(run, ref.dispatch, deps);
    if (step.kind === 'busy') return await handleBusyKey(run, ref.dispatch, deps);
    if (step.kind === 'undecided') return 'done';
    return await underLease(run, ref.dispatch, step.lease, deps);
  } finally {
    deps.active.release(ref.runId);
  }
}

async function underLease(run: RunSketch, dispatch: number, lease: Lease | null, deps: ExecuteDeps): Promise<Way> {
  const slots = slotsOf(run, dispatch, lease, deps);
  deps.active.proveBy(run.runId, (ms) => slots.lease?.isValidFor(ms) ?? false);
  try {
    const begun = await beginOnFreeSlot(run, dispatch, slots, deps);
    if (typeof begun === 'string') return begun;
    const woken = await callAndFinish(begun, slots.lease, deps);
    if (woken.length > 0) await handOver(woken, slots, deps);
    return 'done';
  } finally {
    await slots.lease?.release();
  }
}

/** The lease goes to the next in the wait queue, and its job into the queue: both at once, since a Redis may be slow to answer. */
async function handOver(woken: readonly WokenRun[], slots: Slots, deps: ExecuteDeps): Promise<void> {
  const next = woken.find(({ key, slot }) => key === slots.lease?.key && slot === slots.lease.slot);
  await Promise.all([slots.lease?.release(next?.id), deps.wake(woken)]);
}
