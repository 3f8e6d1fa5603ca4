import { type Clock, type Emit, HOUR, MINUTE } from '@escapement/core';
import { createLoop, type Loop } from '@escapement/service';
import {
  type Database,
  dropOldPartitions,
  ensurePartitions,
  passGate,
  pruneRuns,
  pruneSmallTables,
} from '@escapement/store';

const EVERY_MS = 1 * HOUR;
const WAIT_MS = 10 * MINUTE;
const BATCH = 5000;
/** Partitions are made so far ahead that a pruner that is down for a fortnight does no harm. */
const AHEAD_DAYS = 21;

export interface PrunerOptions {
  db: Database;
  clock: Clock;
  emit: Emit;
  onError: (error: unknown) => void;
}

/** Makes partitions ahead, deletes runs past their task's retention, drops partitions past everybody's. */
export function createPruner(options: PrunerOptions): Loop {
  const { db, clock, emit } = options;
  let draining = false;

  async function runOnce(): Promise<number> {
    if (!draining && !(await passGate(db, 'pruner', EVERY_MS))) return WAIT_MS;
    const partitionsMade = await ensurePartitions(db, clock.now(), AHEAD_DAYS);
    const partitionsDropped = await dropOldPartitions(db);
    const runs = await pruneRuns(db, BATCH);
    await pruneSmallTables(db);
    draining = runs === BATCH;
    if (runs + partitionsMade.length + partitionsDropped.length > 0)
      emit({ event: 'pruned', runs, partitionsMade, partitionsDropped });
    return draining ? 0 : WAIT_MS;
  }

  return createLoop({ name: 'pruner', runOnce, onError: options.onError });
}
