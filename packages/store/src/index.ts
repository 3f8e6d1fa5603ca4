// All access to Postgres: tables, statements, migrations. No other package runs SQL.

export * from './access/disable-user.ts';
export * from './access/grants-of.ts';
export * from './access/oidc-users.ts';
export * from './access/sessions.ts';
export * from './access/sign-in-codes.ts';
export * from './access/sign-in-count.ts';
export * from './access/tokens.ts';
export * from './access/users.ts';
export * from './alerts/index.ts';
export * from './audit-log.ts';
export * from './backfills/backfill.ts';
export * from './backfills/step-backfill.ts';
export * from './backfills/stop-backfill.ts';
export {
  batchItems,
  cancelChildren,
  countBatch,
  finishBatch,
  type Join,
  makeChildren,
  stopBatch,
  stopIfDeleted,
} from './batches/advance-batch.ts';
export { type BatchRow, type BatchView, toBatchProgress } from './batches/batch-row.ts';
export { addToBatch, type NewBatch, type OpenedBatch, openBatch, sealBatch } from './batches/fill-batch.ts';
export {
  batchesOfRun,
  batchesToAdvance,
  batchResults,
  cancelBatches,
  causesAbove,
  dropUnfilled,
  findBatch,
} from './batches/find-batches.ts';
export * from './batches/list-batches.ts';
export * from './bulk/actions-of-request.ts';
export * from './bulk/choose-runs.ts';
export * from './bulk/chosen-runs.ts';
export * from './calendars.ts';
export * from './calls/previous-run.ts';
export * from './changes/observe-changes.ts';
export * from './changes/write-changes.ts';
export * from './deployments/code-tasks.ts';
export * from './deployments/register-deployment.ts';
export * from './errors/error-status.ts';
export * from './errors/failures.ts';
export * from './followers/make-followers.ts';
export * from './followers/outbox-entry.ts';
export * from './followers/run-tree.ts';
export * from './followers/target-tasks.ts';
export * from './forecast/pool-capacity.ts';
export * from './forecast/recorded-runs.ts';
export * from './forecast/tasks-to-forecast.ts';
export { type Freeze, freezeFleet, readFreeze, unfreezeFleet } from './freezes.ts';
export * from './keys/read-keys.ts';
export * from './keys/release-key-slot.ts';
export {
  addToList,
  addToListFor,
  dropWorkList,
  type TakenItem,
  takeItem,
  type WorkItemView,
  type WorkListView,
  workItems,
  workLists,
} from './lists/work-list.ts';
export * from './logs.ts';
export * from './migrate/index.ts';
export * from './monitors/index.ts';
export { isNamespaceUsed, namespacesWithTasks } from './namespaces.ts';
export * from './open-from.ts';
export * from './partitions/drop-partitions.ts';
export * from './partitions/ensure-partitions.ts';
export * from './partitions/grant-partitions.ts';
export { PARTITIONED, partitionOf } from './partitions/partition-of.ts';
export * from './pools/pool-demand.ts';
export * from './pools/pool-names.ts';
export * from './pools/read-pools.ts';
export * from './pools/save-pool.ts';
export * from './pools/unserved-queues.ts';
export type { CallersClient } from './postgres/caller-transaction.ts';
export { isDataFault, readEach, splitOnDataFault } from './postgres/data-fault.ts';
export * from './postgres/database.ts';
export * from './postgres/group-commit.ts';
export { explainHindrance } from './postgres/hindrance.ts';
export * from './postgres/inspect-database.ts';
export * from './postgres/inspect-production.ts';
export * from './postgres/listen.ts';
export { explainRefusal } from './postgres/refusal.ts';
export { hasReplayed, logPosition, whyNotStandbyOf } from './postgres/standby.ts';
export * from './processes/cluster-lock.ts';
export * from './processes/drain-worker.ts';
export * from './processes/expected-workers.ts';
export * from './processes/fleet-figures.ts';
export * from './processes/heartbeat.ts';
export * from './processes/list-processes.ts';
export * from './processes/living-programs.ts';
export * from './processes/secret-rules.ts';
export * from './processes/start-fleet.ts';
export * from './prune.ts';
export * from './rates/read-rates.ts';
export * from './rates/wake-rated.ts';
export * from './reconcile/count-runs.ts';
export * from './reconcile/drift.ts';
export * from './reconcile/find-oldest.ts';
export * from './reconcile/finished-holders.ts';
export { type DriftFound, type Finding, LEDGER_REPAIRS, type LedgerRepair } from './reconcile/ledger-repairs.ts';
export * from './reconcile/probe-ledger.ts';
export { noteQueueBlocks, readQueueBlocks } from './reconcile/queue-blocks.ts';
export * from './reconcile/queue-watch.ts';
export * from './reconcile/read-passes.ts';
export * from './reconcile/redispatch-runs.ts';
export * from './reconcile/stale-jobs.ts';
export { moveRedis, type RedisUse, redisUse } from './redis-use.ts';
export * from './requests.ts';
export { acceptCopy, type CopyAccepted, type CopyChoices } from './restore/accept-copy.ts';
export { type CopiedWork, countCopiedWork } from './restore/copied-work.ts';
export { ALIVE_MS, type LedgerOrigin, ledgerOrigin, noteAlive, ownLedger } from './restore/ledger-origin.ts';
export * from './roles/check-roles.ts';
export { type DatabaseRole, ROLE_PREFIX } from './roles/roles-file.ts';
export * from './roll-ups/roll-up.ts';
export * from './roll-ups/usual-durations.ts';
export * from './roll-ups/wrong-roll-ups.ts';
export type { BeginRequest, BeginResult, BegunRun, SeenRun } from './runs/begin-result.ts';
export { beginRuns } from './runs/begin-runs.ts';
export {
  CANCEL_CHANNEL,
  type CancelResult,
  cancelRequests,
  findCancelledRuns,
  finishCancelledRuns,
  requestCancel,
} from './runs/cancel-run.ts';
export * from './runs/catch-up-runs.ts';
export { type CountFilter, countRuns } from './runs/count-runs.ts';
export * from './runs/dispatchable-runs.ts';
export * from './runs/finish-decided.ts';
export * from './runs/finish-deleted.ts';
export * from './runs/finish-gone-workers.ts';
export * from './runs/finish-late-starts.ts';
export * from './runs/finish-overwaited.ts';
export * from './runs/finish-request.ts';
export * from './runs/finish-runs.ts';
export * from './runs/follow-pool.ts';
export * from './runs/held-runs.ts';
export * from './runs/list-held-runs.ts';
export { listRuns } from './runs/list-runs.ts';
export { longestRunning, type RunningAsked, type RunningRun } from './runs/longest-running.ts';
export * from './runs/look-up-runs.ts';
export { lookedBackTo } from './runs/looked-back-to.ts';
export * from './runs/lost-runs.ts';
export * from './runs/mark-queued.ts';
export * from './runs/misfired-runs.ts';
export * from './runs/pass-on-run.ts';
export * from './runs/plan-runs.ts';
export * from './runs/queued-runs.ts';
export * from './runs/read-attempts.ts';
export { findRun, type RunView, runIdsFrom } from './runs/read-runs.ts';
export {
  type Rerunnable,
  type RerunOptions,
  type RerunRequest,
  type RerunResult,
  rerunRun,
  rerunRuns,
  rerunTerms,
} from './runs/rerun-runs.ts';
export { type ResolveRequest, type ResolveResult, resolveRun } from './runs/resolve-run.ts';
export { type ChangeFilter, type EndedRun, endedRuns, heldByWorkers, runsAmong } from './runs/run-changes.ts';
export type { RunFilter } from './runs/run-conditions.ts';
export { type TaskInTurn, takeTurns } from './runs/take-turns.ts';
export * from './runs/trigger-keys.ts';
export * from './runs/trigger-run.ts';
export * from './runs/wait-run.ts';
export * from './runs/wake-waiting.ts';
export { type RunHas, whatRunHas } from './runs/what-run-has.ts';
export { type HeldBack, whatHoldsBack } from './runs/why-not-begun.ts';
export type { WokenRun } from './runs/woken-run.ts';
export * from './runs/write-progress.ts';
export * from './shadow/cron-reports.ts';
export * from './shadow/cutovers.ts';
export * from './shadow/decide-cutover.ts';
export { findDeadSlots, freeDeadSlots } from './slots.ts';
export * from './tasks/asked-late.ts';
export * from './tasks/definitions.ts';
export * from './tasks/due-tasks.ts';
export * from './tasks/hold-set.ts';
export { type HourlyOutcome, hourlyOutcomes } from './tasks/hourly-outcomes.ts';
export * from './tasks/pause-task.ts';
export { priorityPools, runPriorities, taskPriorities } from './tasks/priorities.ts';
export * from './tasks/read-task.ts';
export * from './tasks/recent-runs.ts';
export * from './tasks/repeatable-tasks.ts';
export * from './tasks/save-task.ts';
export * from './tasks/task-change.ts';
export * from './tasks/task-history.ts';
export { type SelectedTask, selectTasks, type TaskChoice, taskLabels } from './tasks/task-labels.ts';
export * from './tasks/task-outcomes.ts';
export * from './tasks/task-page.ts';
export * from './tasks/task-state.ts';
export * from './tasks/task-stats.ts';
export * from './tasks/tasks-of-minute.ts';
export * from './verify-ledger/calendar-versions.ts';
export * from './verify-ledger/counted-runs.ts';
export * from './verify-ledger/ledger-rows.ts';
export * from './verify-ledger/tasks-to-verify.ts';
export * from './zones/tasks-in-zone.ts';
export * from './zones/zone-versions.ts';
