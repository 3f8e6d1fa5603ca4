import { SECOND } from '@escapement/core';
import { createLoop, type Loop, type Service } from '@escapement/service';
import { type Database, endCancelledRuns, endOverdueRuns, freeDeadSlots, passGate } from '@escapement/store';
import type { Emit } from '../events.ts';
import { type LostRunsOptions, lostRunsStep } from './lost-runs.ts';
import { type MissingJobsOptions, missingJobsStep } from './missing-jobs.ts';
import { healAll } from './pass.ts';
import { batchStep, type HealingStep } from './step.ts';

/** One replica in each interval compares queue and ledger. */
const EVERY_MS = 1 * SECOND;
const BATCH = 500;

export type ReconcilerOptions = LostRunsOptions & MissingJobsOptions;

/** What needs Postgres alone. */
function ledgerSteps(options: ReconcilerOptions): HealingStep[] {
  const { db } = options;
  return [
    lostRunsStep(options),
    batchStep('cancel_pending', BATCH, (limit) => endCancelledRuns(db, limit)),
    batchStep('late_start', BATCH, (limit) => endOverdueRuns(db, limit)),
    batchStep('dead_slot', BATCH, (limit) => freeDeadSlots(db, limit)),
  ];
}

/** What needs Redis too. */
function queueSteps(options: ReconcilerOptions): HealingStep[] {
  return [missingJobsStep(options)];
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

interface LaneOptions {
  db: Database;
  emit: Emit;
  onError: (error: unknown) => void;
}

function createLane(name: string, steps: readonly HealingStep[], { db, emit, onError }: LaneOptions): Loop {
  async function runOnce(): Promise<number> {
    if (!(await passGate(db, name, EVERY_MS))) return EVERY_MS;
    const { counts, more } = await healAll(steps, onError);
    if (Object.keys(counts).length > 0) emit({ event: 'drift', counts });
    return more ? 0 : EVERY_MS;
  }

  return createLoop({ name, runOnce, onError });
}
