import {
  ABORT_BOUND_MS,
  type AbortReason,
  type AttemptBounds,
  type AttemptEnd,
  admitOutcome,
  admitProgress,
  attemptEnd,
  type Handler,
  type HandlerCall,
  type HandlerContext,
  type HandlerOutcome,
  outcomeOfThrown,
  type Progress,
} from '@escapement/core';
import { type AttemptLimits, startLimits } from './attempt-limits.ts';
import { after } from './long-timer.ts';

export interface HandlerRun extends AttemptBounds {
  handler: Handler;
  context: Omit<HandlerContext, 'signal' | 'heartbeat' | 'progress' | 'preparing' | 'ask'>;
  /** Answers what the handler asks for. */
  ask: (call: HandlerCall, asking: Asking) => Promise<unknown>;
  /** Told how far the handler says it is. */
  onProgress: (progress: Progress) => void;
  /** Given the function that aborts this handler. */
  onAbortable: (abort: (reason: AbortReason) => void) => void;
  /** Told whether the handler waits for what it needs to begin its work. Its limits do not count then. */
  onPreparing: (prepares: boolean) => void;
  /** Told when the handler did not end within the bound after its abort. */
  onAbandoned: (waitedMs: number) => void;
  now: () => Date;
}

/** How a call that waits stands by the handler that asked. */
export interface Asking {
  /** Aborted with the handler. */
  signal: AbortSignal;
  /** Says that the handler lives, though it waits. */
  onReport(): void;
}

/** Runs a handler to its end: its own, its time limit's, or an abort's. Never rejects. */
export async function runHandler(run: HandlerRun): Promise<AttemptEnd> {
  const controller = new AbortController();
  let reason: AbortReason | undefined;
  function abort(why: AbortReason): void {
    reason ??= why;
    controller.abort(why);
  }
  run.onAbortable(abort);
  // Asked for while it began: a handler that never started need not be stopped.
  if (controller.signal.aborted) return attemptEnd(NOT_CALLED, reason, run);
  const limits = startLimits(run, abort);
  const watch = watchAbandonment(controller.signal, run.onAbandoned);
  const { signal } = controller;
  let ended = false;
  const given = {
    ...reportsOf(run, limits.onReport, () => ended),
    signal,
    preparing: preparingOf(run, limits),
    ask: (call: HandlerCall) => run.ask(call, { signal, onReport: limits.onReport }),
  };
  const outcome = await Promise.race([start(run, given), watch.abandoned]);
  ended = true;
  watch.stop();
  limits.stop();
  return attemptEnd(outcome, reason, run);
}

const NOT_CALLED: HandlerOutcome = {
  status: 'failed',
  work: 'not_begun',
  error: { name: 'Aborted', message: 'stopped before it began' },
};

type Reports = Pick<HandlerContext, 'heartbeat' | 'progress'>;
type Given = Reports & Pick<HandlerContext, 'signal' | 'preparing' | 'ask'>;

/** What a handler that was left to itself says after the end of its attempt is of no use any more. */
function reportsOf(run: HandlerRun, onReport: () => void, hasEnded: () => boolean): Reports {
  return {
    heartbeat: onReport,
    progress(done, total, note) {
      onReport();
      const progress = admitProgress(done, total, note);
      if (progress && !hasEnded()) run.onProgress(progress);
    },
  };
}

function preparingOf({ onPreparing }: HandlerRun, limits: AttemptLimits): HandlerContext['preparing'] {
  return async (ready) => {
    onPreparing(true);
    limits.suspend();
    try {
      return await ready;
    } finally {
      limits.resume();
      onPreparing(false);
    }
  };
}

async function start(run: HandlerRun, given: Given): Promise<HandlerOutcome> {
  try {
    return admitOutcome(await run.handler({ ...run.context, ...given }));
  } catch (thrown) {
    return admitOutcome(outcomeOfThrown(thrown, run.now()));
  }
}

/** Resolves when the handler has not ended within the bound after its abort. */
function watchAbandonment(signal: AbortSignal, onAbandoned: (waitedMs: number) => void) {
  let cancel: (() => void) | undefined;
  let stopped = false;
  const abandoned = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => {
      if (stopped) return;
      cancel = after(ABORT_BOUND_MS, () => {
        onAbandoned(ABORT_BOUND_MS);
        resolve(undefined);
      });
    });
  });
  return {
    abandoned,
    stop() {
      stopped = true;
      cancel?.();
    },
  };
}
