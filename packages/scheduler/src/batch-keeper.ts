import { advanceBatch, type Enqueue } from '@escapement/operations';
import { createLoop, type Loop } from '@escapement/service';
import { batchesToAdvance, type Database, dropUnfilled } from '@escapement/store';
import { NO_PROBES, type Probes } from './probes.ts';

/** Whoever ends a child goes on with its batch; this is for those who died before they could. */
const WAIT_MS = 2000;
/** Batches gone on with in a pass. */
const BATCH = 100;

export interface BatchKeeperOptions {
  db: Database;
  /** Asked before each look. Default: it looks each time. */
  probes?: Pick<Probes, 'see'>;
  enqueue: Enqueue;
  onError: (error: unknown) => void;
}

/** Goes on with batches that nobody else has: whose worker died between the end of a child and the next one. */
export function createBatchKeeper({ db, probes = NO_PROBES, enqueue, onError }: BatchKeeperOptions): Loop {
  async function runOnce(): Promise<number> {
    if (!(await probes.see('batches'))) return WAIT_MS;
    await dropUnfilled(db);
    const ids = await batchesToAdvance(db, BATCH);
    // One that throws must not keep the others up.
    for (const id of ids) await advanceBatch(db, id, enqueue).catch(onError);
    return ids.length === BATCH ? 0 : WAIT_MS;
  }

  return createLoop({ name: 'batch-keeper', runOnce, onError });
}
