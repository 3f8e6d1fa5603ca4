import type { Service } from '@escapement/service';
import { finishCancelledRuns, finishLateStarts, finishOverwaited, freeDeadSlots, wakeWaiting } from '@escapement/store';
import { type DeadLeasesOptions, deadLeasesStep } from './dead-leases.ts';
import { type ExtraJobsOptions, extraJobsStep } from './extra-jobs.ts';
import { createLane, type LaneOptions } from './lane.ts';
import { type LostRunsOptions, lostRunsStep } from './lost-runs.ts';
import { missingJobsStep } from './missing-jobs.ts';
import { type OverdueRunsOptions, overdueRunsStep } from './overdue-runs.ts';
import { createQueueCount } from './queue-count.ts';
import { createQueueWatch } from './queue-watch.ts';
import { batchStep, type HealingStep } from './step.ts';

const BATCH = 500;

export type ReconcilerOptions = LaneOptions &
  LostRunsOptions &
  OverdueRunsOptions &
  ExtraJobsOptions &
  DeadLeasesOptions;

/** What needs Postgres alone, but for a last question. */
function ledgerSteps(options: ReconcilerOptions): HealingStep[] {
  const { db } = options;
  return [
    batchStep('cancel_pending', BATCH, (limit) => finishCancelledRuns(db, limit)),
    batchStep('late_start', BATCH, (limit) => finishLateStarts(db, limit)),
    batchStep('dead_slot', BATCH, (limit) => freeDeadSlots(db, limit)),
    // After the slots, so that what they gave back is used; the jobs of who is woken are missing, and added as such.
    batchStep('lost_wake_up', BATCH, async (limit) => (await wakeWaiting(db, limit)).length),
    batchStep('overwaited', BATCH, (limit) => finishOverwaited(db, limit)),
    // Last: for workers that are silent it asks Redis, which may take its time.
    lostRunsStep(options),
  ];
}

/** What needs Redis too. What is overdue comes first. */
function queueSteps(options: ReconcilerOptions): HealingStep[] {
  const watch = createQueueWatch(options);
  const count = createQueueCount(options, watch, () => extra.hurry());
  const extra = extraJobsStep(options, watch, count.pools);
  return [
    watch.step,
    overdueRunsStep(options),
    missingJobsStep(options, watch),
    count.step,
    extra.step,
    deadLeasesStep(options),
  ];
}

/**
 * Makes queue and ledger equal again, in two lanes: a Redis that hangs must not hold up what Postgres alone can heal.
 * Depends on nothing that it heals. Any number of replicas may run it; in each interval one does a lane's pass.
 */
export function createReconciler(options: ReconcilerOptions): Service {
  const lanes = [
    createLane('reconciler', ledgerSteps(options), options),
    createLane('queue-reconciler', queueSteps(options), options),
  ];
  return {
    name: 'reconciler',
    start() {
      for (const lane of lanes) lane.start();
    },
    async stop() {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
    async runOnce() {
      return Math.min(...(await Promise.all(lanes.map((lane) => lane.runOnce()))));
    },
  };
}
