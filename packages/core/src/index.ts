// Pure logic: tasks, schedules, the states of a run, verdicts, errors. It does no I/O.

export { admitOutcome } from './admit-outcome.ts';
export * from './attempt-end.ts';
export * from './audit-kinds.ts';
export * from './backfill.ts';
export * from './batch.ts';
export * from './bulk-action.ts';
export * from './calls.ts';
export * from './cancel.ts';
export * from './check-task.ts';
export * from './clock.ts';
export * from './crontab-user.ts';
export * from './digest.ts';
export * from './drift.ts';
export * from './effects.ts';
export {
  type AnsweredCode,
  ERROR_SECTIONS,
  ERRORS,
  type ErrorCode,
  errorFacts,
  type ReportedCode,
  reportedCode,
} from './error-codes/error-codes.ts';
export type { ErrorFacts } from './error-codes/error-facts.ts';
export * from './error-group.ts';
export * from './errors.ts';
export type { DispatchedJob, Emit, EngineEvent, TracedAttempt } from './events.ts';
export * from './exposure.ts';
export * from './follow-graph.ts';
export * from './follower-fields.ts';
export * from './followers-of-run.ts';
export * from './format-span.ts';
export * from './grouped-by.ts';
export * from './handler.ts';
export * from './handler-kinds.ts';
export * from './handler-spec.ts';
export * from './idempotency-key.ts';
export * from './instant.ts';
export * from './jobs.ts';
export * from './json.ts';
export * from './key.ts';
export * from './lateness.ts';
export * from './lease-times.ts';
export * from './ledger-move.ts';
export * from './manual-clock.ts';
export { knownKeysIn, nearestKeyIn } from './nearest-key.ts';
export * from './overlap.ts';
export { changedNumber, isKeptNumber, parseJson } from './parse-json.ts';
export * from './principal.ts';
export * from './progress.ts';
export * from './queue-block.ts';
export * from './queue-name.ts';
export * from './rate.ts';
export { checkRatePayload } from './rate-key.ts';
export * from './reasons.ts';
export * from './redis-identity.ts';
export { type Refusal, type RefusalOptions, refusals, refusedValues } from './refusal.ts';
export * from './repeat-grid.ts';
export * from './requests.ts';
export * from './resolution.ts';
export * from './restored.ts';
export * from './retry-after.ts';
export * from './run-error.ts';
export * from './run-id.ts';
export * from './run-on.ts';
export * from './run-record.ts';
export * from './run-state.ts';
export * from './run-state-meanings.ts';
export * from './schedule-words.ts';
export * from './seeded-random.ts';
export * from './start-deadline.ts';
export * from './system-error.ts';
export * from './task.ts';
export * from './task-keys.ts';
export * from './task-states.ts';
export * from './undone-edit.ts';
export * from './unserved.ts';
export { unstorableEnd } from './unstorable-end.ts';
export * from './verdict.ts';
export * from './visible.ts';
export * from './words.ts';
