import type { CancelRequest } from './cancel.ts';
import { SECOND } from './clock.ts';
import type { AbortReason, HandlerOutcome } from './handler.ts';
import type { AttemptEnd } from './verdict.ts';

/** How long an aborted handler may take to end before it is left to itself. */
export const ABORT_BOUND_MS = 5 * SECOND;

/** What an attempt is bound by, and who wants it cancelled; asked after an abort as `cancelled`. */
export interface AttemptBounds {
  timeoutMs: number;
  heartbeatTimeoutMs?: number | undefined;
  cancelRequest: () => CancelRequest | undefined;
}

/**
 * How an attempt came to its end, by what its handler said (undefined: nothing within the bound after its abort) and why
 * it was aborted. A handler that succeeded in spite of its abort did succeed: the work is done. Everything else was cut off.
 */
export function attemptEnd(
  outcome: HandlerOutcome | undefined,
  reason: AbortReason | undefined,
  bounds: AttemptBounds,
): AttemptEnd {
  if (outcome && (reason === undefined || outcome.status === 'succeeded')) return { kind: 'returned', outcome };
  const notBegun = outcome?.status === 'failed' && outcome.work === 'not_begun';
  const seen = outcome?.status === 'failed' ? outcome.seen : undefined;
  if (reason === 'timeout') return { kind: 'timed_out', timeoutMs: bounds.timeoutMs, notBegun, seen };
  if (reason === 'heartbeat')
    return { kind: 'silent', heartbeatTimeoutMs: bounds.heartbeatTimeoutMs ?? 0, notBegun, seen };
  if (reason === 'cancelled')
    return { kind: 'cancelled', request: bounds.cancelRequest() ?? { who: null, reason: null } };
  return { kind: 'interrupted', why: reason === 'lease_lost' ? 'lease_lost' : 'shutdown', notBegun };
}
