import type { Service } from '@escapement/service';
import { LEDGER_REPAIRS } from '@escapement/store';
import { type DeadLeasesOptions, deadLeasesStep } from './dead-leases.ts';
import { decidedRunsStep } from './decided-runs.ts';
import { type ExtraJobsOptions, extraJobsStep } from './extra-jobs.ts';
import { type LostRunsOptions, lostRunsStep } from './lost-runs.ts';
import { missingJobsStep } from './missing-jobs.ts';
import { type OverdueRunsOptions, overdueRunsStep } from './overdue-runs.ts';
import { createVanishedJobs, queueBlocksStep } from './queue-blocks.ts';
import { createQueueCount } from './queue-count.ts';
import { createQueueWatch } from './queue-watch.ts';
import { createReconcilerLoop, type LoopOptions } from './reconciler-loop.ts';
import { type HealingStep, repairStep } from './step.ts';

const BATCH = 500;

export type ReconcilerOptions = LoopOptions &
  LostRunsOptions &
  OverdueRunsOptions &
  ExtraJobsOptions &
  DeadLeasesOptions;

/** What needs Postgres alone, but for a last question. */
function ledgerSteps(options: ReconcilerOptions): HealingStep[] {
  const { db } = options;
  return [
    ...LEDGER_REPAIRS.map(({ kind, among, find }) =>
      repairStep({ kind, among, limit: BATCH, find: () => find(db, { limit: BATCH, deadMs: options.deadMs }) }),
    ),
    decidedRunsStep(options),
    // Last: for workers that are silent it asks Redis, which may take its time.
    lostRunsStep(options),
  ];
}

/** What needs Redis too. What is overdue comes first. */
function queueSteps(options: ReconcilerOptions): HealingStep[] {
  const watch = createQueueWatch(options);
  const vanished = createVanishedJobs(options.clock);
  const count = createQueueCount(options, watch, () => extra.scanAll());
  const extra = extraJobsStep(options, watch, count.queues);
  return [
    watch.step,
    overdueRunsStep(options, vanished),
    missingJobsStep(options, watch, count.queued),
    count.step,
    extra.step,
    queueBlocksStep(options, watch, vanished, count.queues),
    deadLeasesStep(options),
  ];
}

/**
 * Makes queue and ledger equal again, in two lanes: a Redis that hangs must not hold up what Postgres alone can heal.
 * Depends on nothing that it heals. Any number of replicas may run it; in each interval one does a lane's pass.
 */
export function createReconciler(options: ReconcilerOptions): Service {
  const loops = [
    createReconcilerLoop('reconciler', ledgerSteps(options), options),
    createReconcilerLoop('queue-reconciler', queueSteps(options), options),
  ];
  return {
    name: 'reconciler',
    start() {
      for (const loop of loops) loop.start();
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
    async runOnce() {
      return Math.min(...(await Promise.all(loops.map((loop) => loop.runOnce()))));
    },
  };
}
