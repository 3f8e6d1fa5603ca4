// What people and programs do with tasks and runs: save, edit, trigger, cancel, backfill, verify. It uses Postgres only.

export { advanceBatch, type Enqueue } from './advance-batch.ts';
export { compareQueue, listFleetLeases } from './ask-fleet.ts';
export * from './backfill/instants.ts';
export * from './backfill/start-backfill.ts';
export * from './calendars.ts';
export { type CodeToDeploy, deploymentOf } from './code-tasks/deployment.ts';
export { type CodeTaskResult, saveCodeTask } from './code-tasks/save-code-task.ts';
export * from './effect.ts';
export { checkMayGo, removeTask } from './followers/check-followers.ts';
export { type MakerDeps, processOutbox } from './followers/process-outbox.ts';
export { checkDepth, withNearest } from './followers/wanted-runs.ts';
export * from './keys/look-at-slots.ts';
export * from './keys/release-key.ts';
export type { SlotState, SlotView } from './keys/slot-view.ts';
export { lookAtLedger } from './look-at-ledger.ts';
export * from './plan-task.ts';
export * from './recovery.ts';
export * from './task-occurrences.ts';
export * from './tasks.ts';
export * from './verify-ledger/verify-ledger.ts';
