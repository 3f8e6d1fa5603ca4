import { setTimeout as sleep } from 'node:timers/promises';
import { getBulkRequest } from '@escapement/api/routes';
import { type BulkResult, EscapementError, reportedCode } from '@escapement/core';
import type { Context } from '../context.ts';
import { type Calls, schedulersAlive } from '../fleet.ts';

const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 500;

interface Following {
  /** From `interruptible()`. */
  signal: AbortSignal;
  /** How far it is is told after so long, and every so often. Milliseconds. */
  noteAfterMs: number;
}

/**
 * Waits for the end of a bulk action, and says now and then how far it is. Throws what the act met, and `interrupted` on Ctrl-C:
 * the act goes on.
 */
export async function followRequest(
  fleet: Calls,
  id: string,
  { signal, noteAfterMs }: Following,
  context: Context,
): Promise<BulkResult> {
  const { clock, output } = context;
  let notedMs = clock.monotonicMs();
  for (let waitMs = FIRST_LOOK_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LAST_LOOK_MS)) {
    const { state, counts, error } = await fleet.call(getBulkRequest, { params: { id } });
    if ((state === 'done' || state === 'cancelled') && counts) return counts;
    if (error) throw refusalOf(error);
    if (clock.monotonicMs() - notedMs >= noteAfterMs) {
      notedMs = clock.monotonicMs();
      if (counts) output.note(`${counts.done} of ${counts.total}`);
      else await noteWaiting(fleet, context);
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
  throw new EscapementError('interrupted', `request ${id} goes on`, {
    fix: `escapement requests show ${id} --wait`,
  });
}

function refusalOf({ code, message, fix }: { code: string; message: string; fix: string | null }): EscapementError {
  return new EscapementError(reportedCode(code), message, fix === null ? {} : { fix });
}

/** Says why nothing comes of a request. */
export async function noteWaiting(fleet: Calls, { output }: Context): Promise<void> {
  const alive = await schedulersAlive(fleet);
  output.note(alive === false ? 'it waits: no scheduler is alive' : 'it waits for a scheduler');
}
