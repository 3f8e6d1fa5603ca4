import { type Emit, OVERLAP_RULES } from '@escapement/core';
import type { GatheredWaits, Repeat } from '@escapement/queue';
import type { RunSketch } from '@escapement/store';
import type { Delivery, Execution } from './execution.ts';
import type { RunLedger } from './run-ledger.ts';

/** A run due no later than this is waited for; one due later goes back to the queue by way of the reconciler. */
export const MAX_EARLY_MS = 2000;
/** So long before it is due a run is looked up, in milliseconds: what is left to be done then is to ask for its lease and to begin it. */
export const PREPARE_MS = 20;
/** Runs of a job that are due within the same stretch of this length, in milliseconds, share a look-up. */
export const PREPARE_TOGETHER_MS = 50;
/** What was read of a run is new enough for so long, in milliseconds; one more, as the wait for it is rounded. */
const FRESH_MS = PREPARE_MS + PREPARE_TOGETHER_MS + 1;

export interface LookUpParts {
  ledger: Pick<RunLedger, 'lookUp' | 'lookUpRepeat'>;
  waits: GatheredWaits;
  emit: Emit;
}

/**
 * The run as the ledger has it, if this job is still the one that may begin it, and once it is due: who is in its way is
 * asked then, not when its job came. It comes early where a clock is off, or a job was delivered twice.
 */
export async function lookUp(delivery: Delivery, parts: LookUpParts): Promise<Execution | 'done'> {
  const run = await parts.ledger.lookUp(delivery.runId);
  if (!run || run.elsewhere) return refuse(delivery, run, parts);
  // A scheduler judges a misfired one, and queues it anew if it is to run.
  if (run.misfired || run.earlyMs > MAX_EARLY_MS) return 'done';
  if (!(await untilDue(run, parts.waits))) return await lookUp(delivery, parts);
  return isOfJob(run, delivery.dispatch) ? executionOf(delivery, run) : 'done';
}

/** The run that a repeat is for, once it is due; null: what was read of it then is too old. Undefined: there is none. */
export async function lookUpRepeat(
  repeat: Repeat,
  { ledger, waits }: LookUpParts,
): Promise<{ runId: string; dispatch: number; run: RunSketch | null } | undefined> {
  const run = await ledger.lookUpRepeat(repeat);
  if (!run) return undefined;
  const { runId, dispatch } = run;
  return { runId, dispatch: dispatch + 1, run: (await untilDue(run, waits)) ? run : null };
}

export function executionOf({ runId, queue, dispatch, releasePlace }: Delivery, run: RunSketch): Execution {
  return { runId, queue, dispatch, releasePlace, run };
}

/**
 * A job that names no run of this namespace, or one that is none of this worker's queues: somebody has written it who is no
 * scheduler or worker of this fleet, or the run has moved on. The run stays as it is, and has its own job where it belongs.
 */
function refuse({ runId: run, queue, dispatch }: Delivery, found: RunSketch | null, { emit }: LookUpParts): 'done' {
  if (!found) emit({ event: 'job_refused', queue, run, why: 'not_there' });
  else if (isOfJob(found, dispatch)) emit({ event: 'job_refused', queue, run, why: 'other_queue' });
  return 'done';
}

function isOfJob(run: RunSketch, dispatch: number): boolean {
  if (run.state === 'queued') return run.dispatch === dispatch;
  // Its dispatcher has added the job, and not marked the run yet.
  return (run.state === 'planned' || run.state === 'retrying') && run.dispatch === dispatch - 1;
}

/**
 * Waits until the run is due. False: what was read of it is too old by then. Of one that was read shortly before, the begin
 * asks all that matters, but for its turn in the order of its key, and for the tokens that its rate has by then.
 */
async function untilDue({ earlyMs, overlap, rated }: RunSketch, waits: GatheredWaits): Promise<boolean> {
  if (earlyMs === 0) return true;
  await waits.wait(Math.min(earlyMs, MAX_EARLY_MS));
  return earlyMs <= (rated ? PREPARE_MS : FRESH_MS) && OVERLAP_RULES[overlap].ordering !== 'oldest-first';
}
