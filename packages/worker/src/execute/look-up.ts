import { OVERLAP_RULES, scheduledForOf } from '@escapement/core';
import type { RunRef } from '@escapement/queue';
import type { RunSketch } from '@escapement/store';
import type { ExecuteDeps } from './execute-deps.ts';
import { persist } from './persist.ts';

/** A run due no later than this is waited for; one due later goes back to the queue by way of the reconciler. */
export const MAX_EARLY_MS = 2000;
/** So long before it is due a run is looked up, in milliseconds: what is left to be done then is to ask for its lease and to begin it. */
export const PREPARE_MS = 12;

/**
 * The run as the ledger has it, if this job is still the one that may begin it, and once it is due: who is in its way is
 * asked then, not when its job came. It comes early where a clock is off, or a job was delivered twice.
 */
export async function lookUp(ref: RunRef, deps: ExecuteDeps): Promise<RunSketch | undefined> {
  const { run } = await persist(
    () => deps.lookUps.submit({ runId: ref.runId, scheduledFor: scheduledForOf(ref.runId) }),
    deps.mayPersist,
  );
  // A scheduler judges a misfired one, and queues it anew if it is to run.
  if (!run || run.misfired || run.earlyMs > MAX_EARLY_MS) return undefined;
  if (!(await untilDue(run))) return await lookUp(ref, deps);
  const queued = run.state === 'queued' && run.dispatch === ref.dispatch;
  const unmarked = (run.state === 'planned' || run.state === 'retrying') && run.dispatch === ref.dispatch - 1;
  return queued || unmarked ? run : undefined;
}

/**
 * Waits until the run is due. False: what was read of it is too old by then. Of one that was read shortly before, the begin
 * asks all that matters, but for its turn in the order of its key.
 */
export async function untilDue({ earlyMs, overlap }: RunSketch): Promise<boolean> {
  if (earlyMs === 0) return true;
  await new Promise((resolve) => setTimeout(resolve, Math.min(earlyMs, MAX_EARLY_MS)));
  return earlyMs <= PREPARE_MS && OVERLAP_RULES[overlap].ordering !== 'oldest-first';
}
