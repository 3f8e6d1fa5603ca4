import {
  type AbortReason,
  type AttemptEnd,
  admitProgress,
  type CancelRequest,
  type Handler,
  type HandlerContext,
  type HandlerOutcome,
  outcomeOfThrown,
  type Progress,
  SECOND,
} from '@escapement/core';
import { watchSilence } from './silence-watch.ts';

/** How long an aborted handler may take to end before it is left to itself. */
export const ABORT_BOUND_MS = 5 * SECOND;

export interface HandlerRun {
  handler: Handler;
  context: Omit<HandlerContext, 'signal' | 'heartbeat' | 'progress'>;
  timeoutMs: number;
  /** A handler that has not reported for so long is stopped; undefined: it need not report. */
  heartbeatTimeoutMs?: number | undefined;
  /** Told how far the handler says it is. */
  onProgress: (progress: Progress) => void;
  /** Given the function that aborts this handler. */
  onAbortable: (abort: (reason: AbortReason) => void) => void;
  /** Who wants it cancelled; asked after an abort as `cancelled`. */
  cancelRequest: () => CancelRequest | undefined;
  /** Told when the handler did not end within the bound after its abort. */
  onAbandoned: (waitedMs: number) => void;
  now: () => Date;
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
  if (controller.signal.aborted) return endOf(NOT_CALLED, reason, run);
  const cancelLimit = after(run.timeoutMs, () => abort('timeout'));
  const silence = watchSilence(run.heartbeatTimeoutMs, () => abort('heartbeat'));
  const watch = watchAbandonment(controller.signal, run.onAbandoned);
  const reports = reportsOf(run, silence.heard);
  const outcome = await Promise.race([start(run, { signal: controller.signal, ...reports }), watch.abandoned]);
  watch.stop();
  silence.stop();
  cancelLimit();
  return endOf(outcome, reason, run);
}

const NOT_CALLED: HandlerOutcome = {
  status: 'failed',
  work: 'not_begun',
  error: { name: 'Aborted', message: 'stopped before it began' },
};

/** Longest delay Node's timers take, 24.8 days; a larger one fires at once. A time limit may be 30 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function after(ms: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  function arm(leftMs: number): void {
    const next = leftMs > LONGEST_TIMER_MS ? () => arm(leftMs - LONGEST_TIMER_MS) : callback;
    timer = setTimeout(next, Math.min(leftMs, LONGEST_TIMER_MS));
  }
  arm(ms);
  return () => clearTimeout(timer);
}

type Reports = Pick<HandlerContext, 'heartbeat' | 'progress'>;

function reportsOf(run: HandlerRun, heard: () => void): Reports {
  return {
    heartbeat: heard,
    progress(done, total, note) {
      heard();
      const progress = admitProgress(done, total, note);
      if (progress) run.onProgress(progress);
    },
  };
}

async function start(run: HandlerRun, given: Reports & Pick<HandlerContext, 'signal'>): Promise<HandlerOutcome> {
  try {
    return await run.handler({ ...run.context, ...given });
  } catch (thrown) {
    return outcomeOfThrown(thrown, run.now());
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

/** A handler that succeeded in spite of its abort did succeed: the work is done. Everything else was cut off. */
function endOf(outcome: HandlerOutcome | undefined, reason: AbortReason | undefined, run: HandlerRun): AttemptEnd {
  if (outcome && (reason === undefined || outcome.status === 'succeeded')) return { kind: 'returned', outcome };
  const notBegun = outcome?.status === 'failed' && outcome.work === 'not_begun';
  const seen = outcome?.status === 'failed' ? outcome.seen : undefined;
  if (reason === 'timeout') return { kind: 'timed_out', timeoutMs: run.timeoutMs, notBegun, seen };
  if (reason === 'heartbeat')
    return { kind: 'silent', heartbeatTimeoutMs: run.heartbeatTimeoutMs ?? 0, notBegun, seen };
  if (reason === 'cancelled') return { kind: 'cancelled', request: run.cancelRequest() ?? { who: null, reason: null } };
  return { kind: 'interrupted', why: reason === 'lease_lost' ? 'lease_lost' : 'shutdown', notBegun };
}
