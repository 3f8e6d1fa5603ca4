import type { Json, RunInfo } from '@escapement/core';

/** What a process may know of its run. The same in each attempt, but for ATTEMPT, FENCE and LATENESS_MS. */
export function runEnvironment(run: RunInfo, payload: Json | undefined): Record<string, string> {
  return {
    ESCAPEMENT_RUN_ID: run.id,
    ESCAPEMENT_TASK: run.taskName,
    ESCAPEMENT_ATTEMPT: String(run.attempt),
    ESCAPEMENT_SCHEDULED_FOR: run.scheduledFor.toISOString(),
    ESCAPEMENT_LATENESS_MS: String(run.latenessMs),
    ESCAPEMENT_ORIGIN: run.origin,
    ...(run.requestedBy === null ? {} : { ESCAPEMENT_REQUESTED_BY: run.requestedBy }),
    ...(run.traceparent === null ? {} : { TRACEPARENT: run.traceparent }),
    ...(run.causeRunId === null ? {} : { ESCAPEMENT_CAUSE_RUN_ID: run.causeRunId }),
    ESCAPEMENT_FENCE: String(run.fence),
    ESCAPEMENT_KEY: run.key,
    ...(payload === undefined ? {} : { ESCAPEMENT_PAYLOAD: JSON.stringify(payload) }),
  };
}
