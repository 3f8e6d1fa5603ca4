import { type Clock, type Emit, HOUR, MINUTE } from '@escapement/core';
import { createLoop, type Loop } from '@escapement/service';
import {
  type Database,
  dropOldPartitions,
  ensurePartitions,
  goneWorkerQueues,
  grantPartitions,
  ownLedger,
  type PrunedBatch,
  pruneRuns,
  pruneSmallTables,
  takeClusterLock,
} from '@escapement/store';

const EVERY_MS = 1 * HOUR;
const WAIT_MS = 10 * MINUTE;
/** Somebody reads the ledger, as a backup does: nobody is kept waiting for the drop of old partitions. */
const AGAIN_MS = 1 * MINUTE;
const BATCH = 5000;
/** Partitions are made so far ahead that a pruner that is down for a fortnight does no harm. */
const AHEAD_DAYS = 21;

export interface PrunerOptions {
  db: Database;
  clock: Clock;
  emit: Emit;
  /** Takes queues out of Redis that nobody serves any more. */
  removeQueues: (queues: readonly string[]) => Promise<void>;
  onError: (error: unknown) => void;
}

/** Writes down where the ledger is, makes partitions ahead, deletes runs past their task's retention, drops partitions past everybody's. */
export function createPruner(options: PrunerOptions): Loop {
  const { db, clock, emit } = options;
  /** A partition that is to go is waited for: the next pass does not wait for its hour. */
  let waiting = false;
  /** The last batch of runs, if there may be more: the next one goes on there at once. */
  let last: PrunedBatch | undefined;

  async function runOnce(): Promise<number> {
    if (!last && !waiting && !(await takeClusterLock(db, 'pruner', EVERY_MS))) return WAIT_MS;
    if (!last) waiting = await keepPartitions();
    const batch = await pruneRuns(db, { after: last?.after ?? null, limit: BATCH });
    if (batch.gone > 0) emit({ event: 'pruned', runs: batch.gone, partitionsMade: [], partitionsDropped: [] });
    last = batch.more ? batch : undefined;
    if (last) return 0;
    // What is about runs that are gone goes now.
    await options.removeQueues(await goneWorkerQueues(db));
    await pruneSmallTables(db);
    return waiting ? AGAIN_MS : WAIT_MS;
  }

  /** Makes those that are to come, and drops those that are old. True: one of these is waited for. */
  async function keepPartitions(): Promise<boolean> {
    await ownLedger(db);
    const partitionsMade = await ensurePartitions(db, clock.now(), AHEAD_DAYS);
    const lacking = await grantPartitions(db);
    if (lacking.length > 0) emit({ event: 'partitions_without_rights', partitions: lacking });
    const dropped = await dropOldPartitions(db);
    if (partitionsMade.length + dropped.names.length > 0)
      emit({ event: 'pruned', runs: 0, partitionsMade, partitionsDropped: dropped.names });
    return dropped.waiting;
  }

  return createLoop({ name: 'pruner', runOnce, onError: options.onError });
}
