// What a scheduler does: plan, dispatch, repair, and its other loops.

export { type AlertsOptions, createAlerts } from './alerts/alerts.ts';
export { createDeliverer, type DelivererOptions } from './alerts/deliverer.ts';
export { createMessageSender, type MessageSender, type MessageSenderOptions } from './alerts/receivers/sender.ts';
export { triggerReceiverTask } from './alerts/trigger-receiver-task.ts';
export { createBackfiller } from './backfiller.ts';
export { type BatchKeeperOptions, createBatchKeeper } from './batch-keeper.ts';
export { createChanger } from './changer.ts';
export * from './dispatcher.ts';
export { createErrorGrouper } from './error-grouper.ts';
export * from './fleet-start.ts';
export { createFollowersOutbox, type FollowersOutboxOptions } from './followers-outbox.ts';
export * from './misfires.ts';
export * from './planner.ts';
export * from './pruner.ts';
export { createRateKeeper } from './rate-keeper.ts';
export * from './reconciler/look-for-drift.ts';
export * from './reconciler/reconciler.ts';
export { createRepeatableJobSync, type RepeatableJobSyncOptions } from './repeatable-job-sync.ts';
export { createJobs, createRequests, type JobsOptions, type RequestsOptions } from './requests/requests.ts';
export { createRollUp, type RollUpOptions } from './roll-up.ts';
export * from './scheduler.ts';
