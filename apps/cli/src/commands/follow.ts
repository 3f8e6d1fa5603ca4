import { setTimeout as sleep } from 'node:timers/promises';
import { listLogChunks, waitForRun } from '@escapement/api/routes';
import { EscapementError, isAtRest } from '@escapement/core';
import type { Context } from '../context.ts';
import type { Calls, SeenRun } from '../fleet.ts';

/** How long to wait between two looks at a run that goes on. */
const LOOK_EVERY_MS = 250;

/** Chunks per query. */
const PAGE = 100;

interface Position {
  attempt: number;
  seq: number;
  /** As the task wrote it, also to a terminal. */
  raw: boolean;
}

/** Writes a run's log so far to standard output. Returns where it ended. */
export async function writeLog(fleet: Calls, runId: string, after: Position, { output }: Context): Promise<Position> {
  let position = after;
  for (;;) {
    const { attempt: last, seq: behind } = position;
    const query = { attempt: last, seq: behind, limit: PAGE };
    const { items } = await fleet.call(listLogChunks, { params: { id: runId }, query });
    for (const { attempt, seq, text } of items) {
      if (attempt > 1 && attempt !== position.attempt) output.note(`--- attempt ${attempt} ---`);
      if (after.raw) output.raw(text);
      else output.text(text);
      position = { attempt, seq, raw: after.raw };
    }
    if (items.length < PAGE) return position;
  }
}

export interface Follow {
  /** From `interruptible()`: asked for before anything is said that invites a Ctrl-C. */
  signal: AbortSignal;
  /** Whether to write the log as it grows, and how; see `Position.raw`. */
  log: false | 'visible' | 'raw';
  /** Told of each look at a run that has not ended. */
  onLook?: (run: SeenRun) => Promise<void>;
}

/** Waits until a run has ended or is `unknown`, and returns it as it then is. Throws `interrupted` on Ctrl-C: the run goes on. */
export async function followRun(
  fleet: Calls,
  runId: string,
  { signal, log, onLook }: Follow,
  context: Context,
): Promise<SeenRun> {
  let position: Position = { attempt: 0, seq: 0, raw: log === 'raw' };
  while (!signal.aborted) {
    // Looked at before the log: what is written when the run has ended is all there is.
    const run = await fleet.call(waitForRun, { params: { id: runId }, query: { timeoutMs: 0 } });
    if (log) position = await writeLog(fleet, runId, position, context);
    if (isAtRest(run.state)) return run;
    await onLook?.(run);
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  throw new EscapementError('interrupted', `run ${runId} goes on`, { fix: `escapement runs logs ${runId} --follow` });
}
