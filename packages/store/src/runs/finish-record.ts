import { wellFormedText } from '@escapement/core';
import type { FinishRequest } from './finish-request.ts';

/** A record of finish_runs; what is undefined is left out. */
export function toFinishRecord({
  runId,
  scheduledFor,
  seen,
  fence,
  finishId,
  verdict,
  ...request
}: FinishRequest): object {
  return {
    run_id: runId,
    scheduled_for: scheduledFor,
    from_state: seen.state,
    dispatch: seen.dispatch,
    attempt: seen.attempt,
    fence: fence?.toString(),
    finish_id: finishId,
    to_state: verdict.to,
    reason: verdict.reason === null ? null : wellFormedText(verdict.reason),
    retry_at: verdict.retryAt,
    attempt_outcome: verdict.attemptOutcome,
    lost: verdict.lost,
    uncounted: verdict.uncounted,
    error: verdict.error,
    output: verdict.output,
    exit_code: verdict.exitCode,
    blocked_by: request.blockedBy,
    from_end: request.countsFromEnd,
    effects: verdict.effects,
  };
}
