import { setTimeout as sleep } from 'node:timers/promises';
import { type BulkResult, EscapementError, SECOND } from '@escapement/core';
import { bulkState, requireRequest } from '@escapement/operations';
import { type Database, listProcesses } from '@escapement/store';
import { type Context, configOf } from '../context.ts';

const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 500;

interface Following {
  /** From `interruptible()`. */
  signal: AbortSignal;
  /** How far it is is told after so long, and every so often. Milliseconds. */
  noteAfterMs: number;
}

/**
 * Waits for the end of a bulk act, and says now and then how far it is. Throws what the act met, and `interrupted` on Ctrl-C:
 * the act goes on.
 */
export async function followRequest(
  db: Database,
  id: string,
  { signal, noteAfterMs }: Following,
  context: Context,
): Promise<BulkResult> {
  const { clock, output } = context;
  let notedMs = clock.monotonicMs();
  for (let waitMs = FIRST_LOOK_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, LAST_LOOK_MS)) {
    const state = bulkState(await requireRequest(db, id), clock.now());
    if (state.state === 'done') return state.result;
    if (state.state === 'failed') throw state.error;
    if (clock.monotonicMs() - notedMs >= noteAfterMs) {
      notedMs = clock.monotonicMs();
      if (state.state === 'running') output.note(`${state.progress.done} of ${state.progress.total}`);
      else await noteWaiting(db, context);
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
  throw new EscapementError('interrupted', `request ${id} goes on`, {
    fix: `escapement requests show ${id} --wait`,
  });
}

async function noteWaiting(db: Database, context: Context): Promise<void> {
  const processes = await listProcesses(db, { withinMs: configOf(context).leaseMs + 5 * SECOND });
  const alive = processes.some(({ role }) => role === 'scheduler');
  context.output.note(alive ? 'it waits for a scheduler' : 'it waits: no scheduler is alive');
}
