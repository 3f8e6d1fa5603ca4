import type { AbortReason, HandlerOutcome } from '@escapement/core';

const WORDS: Record<AbortReason, string> = {
  timeout: 'its time limit was reached',
  heartbeat: 'it had not reported that it lives',
  shutdown: 'the worker is shutting down',
  cancelled: 'it was cancelled',
  lease_lost: 'the lease of its key was lost',
};

/** Why a run was stopped, for its error. */
export function abortWords(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  if (typeof reason === 'string' && Object.hasOwn(WORDS, reason)) return WORDS[reason as AbortReason];
  return reason instanceof Error ? reason.message : String(reason);
}

/** The outcome of a run that was stopped before its work began. */
export function notBegun(signal: AbortSignal): HandlerOutcome {
  return {
    status: 'failed',
    work: 'not_begun',
    error: { name: 'Aborted', message: `not started because ${abortWords(signal)}` },
  };
}
