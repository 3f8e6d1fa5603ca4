// Every act of people and programs: save, edit, trigger, pause, cancel, retry, resolve, release, backfill, lists, state. Each is a
// function of the database, of what it is done to, and of who does it and why. It uses Postgres only.

export type { ErrorChange } from '@escapement/store';
export type { Granted } from './access/grant.ts';
export { MAX_PASSWORD, MIN_PASSWORD, newPassword } from './access/password.ts';
export {
  hashOfSession,
  principalOfSession,
  SESSION_IDLE_MS,
  SESSION_LIFE_MS,
  type Session,
  signIn,
  signOut,
} from './access/sessions.ts';
export { type ProvenIdentity, signInByProvider } from './access/sign-in-by-provider.ts';
export { createSignInCode, SIGN_IN_CODE_LIFE_MS, signInByCode } from './access/sign-in-codes.ts';
export { countBadToken, countTryFrom } from './access/sign-in-limits.ts';
export { createToken, principalOfToken, revokeToken, TOKEN_LIFE_MS, type TokenAsked } from './access/tokens.ts';
export {
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  grantUser,
  principalOfUser,
  setPassword,
} from './access/users.ts';
export { advanceBatch, type Enqueue } from './advance-batch.ts';
export * from './alerts/index.ts';
export * from './apply/index.ts';
export { compareQueue, inspectFleetRedis, listFleetLeases } from './ask-fleet.ts';
export { resumeBackfill, stopBackfill } from './backfill/change-backfill.ts';
export * from './backfill/instants.ts';
export * from './backfill/start-backfill.ts';
export * from './bulk/ask.ts';
export { carryOutChunk } from './bulk/carry-out.ts';
export { haltBulk } from './bulk/halt.ts';
export { type BulkDone, bulkResults } from './bulk/results.ts';
export { requestSeenBy, requestsSeenBy } from './bulk/seen.ts';
export * from './bulk/state.ts';
export * from './calendar-effect.ts';
export * from './calendars.ts';
export { type CodeToDeploy, deploymentOf } from './code-tasks/deployment.ts';
export { type CodeTaskResult, saveCodeTask } from './code-tasks/save-code-task.ts';
export * from './crontab/index.ts';
export * from './doctor/index.ts';
export * from './errors/error-groups.ts';
export * from './errors/redrive-group.ts';
export { chainOfTask, type TaskChain } from './followers/chain-of-task.ts';
export { checkMayGo, formerNodes } from './followers/check-followers.ts';
export { type MakerDeps, processOutbox } from './followers/process-outbox.ts';
export { checkDepth, everyWorkerFollows, withNearest } from './followers/wanted-runs.ts';
export * from './forecast/calendar-of-tasks.ts';
export * from './forecast/forecast-cache.ts';
export * from './forecast/forecast-rows.ts';
export * from './forecast/forecast-view.ts';
export * from './forecast/pieces.ts';
export * from './forecast/quiet-slots.ts';
export * from './forecast/read-forecast.ts';
export { type RowAhead, type RowsAhead, type RowsAsked, rowsAhead } from './forecast/rows-ahead.ts';
export { type Change, type WhatIf, whatIf } from './forecast/what-if.ts';
export * from './freeze.ts';
export * from './jobs/verify-ledger-job.ts';
export * from './keys/look-at-slots.ts';
export * from './keys/release-key.ts';
export type { SlotState, SlotView } from './keys/slot-view.ts';
export { addToList, dropList, unknownList } from './lists.ts';
export { lookAtLedger } from './look-at-ledger.ts';
export * from './monitors/index.ts';
export * from './pools.ts';
export * from './restore/index.ts';
export { asSeenBy, labelsSeen, seesSome } from './rights/labels-seen.ts';
export { permit, permitInNamespace, permitOnRun, permitOnTask, permitOnTasks } from './rights/permit.ts';
export { permitStarts } from './rights/permit-starts.ts';
export { permitReading, type Reading, seesPayloads } from './rights/reading.ts';
export { cancelRun, type RunCancelled } from './runs/cancel-run.ts';
export * from './runs/describe-run.ts';
export { lastRun } from './runs/last-run.ts';
export { requireRun, unknownRun, wholeRunId } from './runs/require-run.ts';
export { type RunRerun, rerunRun } from './runs/rerun-run.ts';
export { type RunResolved, resolveRun } from './runs/resolve-run.ts';
export * from './shadow/index.ts';
export { checkEgress } from './tasks/check-egress.ts';
export { saveProblems } from './tasks/check-savable.ts';
export { checkSecrets } from './tasks/check-secrets.ts';
export { deleteTask } from './tasks/delete-task.ts';
export { describeTask, type TaskDescription } from './tasks/describe-task.ts';
export * from './tasks/drop-pending-change.ts';
export { type DefinitionEdit, editDefinition } from './tasks/edit-definition.ts';
export * from './tasks/effect.ts';
export { exportedTasks, type TasksAsked } from './tasks/exported-tasks.ts';
export { type OutdatedPreview, type OutdatedSave, outdatedPreview } from './tasks/outdated-preview.ts';
export { MOST_SKIPPED, pauseTask, resumeTask, skipOccurrences } from './tasks/pause-task.ts';
export * from './tasks/plan-task.ts';
export { previewTask, type TaskPreview } from './tasks/preview-task.ts';
export { checkMayRename, type RenameContext, renamed, renameTask } from './tasks/rename-task.ts';
export { findNamedTask, requireNoTask, requireTask, taskExists } from './tasks/require-task.ts';
export * from './tasks/save-task.ts';
export { type Disagreement, disagreements, type SavedTogether } from './tasks/shared-keys.ts';
export * from './tasks/task-occurrences.ts';
export { dropTaskState, type StateOf, setTaskState } from './tasks/task-state.ts';
export * from './tasks/task-status.ts';
export { triggerOnce } from './tasks/trigger-once.ts';
export {
  checkTraceparent,
  type TriggerContext,
  type TriggeredRun,
  triggerRuns,
  triggerTask,
} from './tasks/trigger-task.ts';
export { undoneEdits } from './tasks/undone-edits.ts';
export { TooOften } from './too-often.ts';
export * from './unserved.ts';
export { unseenByVerification } from './verify-ledger/unseen.ts';
export * from './verify-ledger/verify-ledger.ts';
export * from './workers.ts';
export * from './zones/keep-zones.ts';
export * from './zones/zone-report.ts';
