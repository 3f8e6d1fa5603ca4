import { type Clock, type Emit, HOUR, MINUTE } from '@escapement/core';
import { createLoop, type Loop } from '@escapement/service';
import {
  type Database,
  dropOldPartitions,
  ensurePartitions,
  goneWorkerQueues,
  grantPartitions,
  ownLedger,
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
  /** More is left to do than one pass did: the next one does not wait for its hour. */
  let unfinished = false;
  /** While runs are pruned, batch after batch: where the next one begins, and whether a partition that is to go is waited for. */
  let pass: { after: string | null; waiting: boolean } | undefined;

  async function runOnce(): Promise<number> {
    if (!unfinished && !(await takeClusterLock(db, 'pruner', EVERY_MS))) return WAIT_MS;
    const { after, waiting } = pass ?? { after: null, waiting: await keepPartitions() };
    const batch = await pruneRuns(db, { after, limit: BATCH });
    if (batch.gone > 0) emit({ event: 'pruned', runs: batch.gone, partitionsMade: [], partitionsDropped: [] });
    pass = batch.more ? { after: batch.after, waiting } : undefined;
    unfinished = batch.more || waiting;
    if (batch.more) return 0;
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
    const { names: partitionsDropped, waiting } = await dropOldPartitions(db);
    if (partitionsMade.length + partitionsDropped.length > 0)
      emit({ event: 'pruned', runs: 0, partitionsMade, partitionsDropped });
    return waiting;
  }

  return createLoop({ name: 'pruner', runOnce, onError: options.onError });
}
