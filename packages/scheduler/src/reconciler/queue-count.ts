import { type Clock, SECOND } from '@escapement/core';
import type { RunQueue } from '@escapement/queue';
import { countQueued, type Database, type QueueLoad, requestResync } from '@escapement/store';
import type { QueueWatch } from './queue-watch.ts';
import { type HealingStep, NOTHING } from './step.ts';

const EVERY_MS = 5 * SECOND;
/** Smaller differences are those of a fleet at work, and found by the next passes in any case. */
const TOLERANCE = 1000;

export interface QueueCountOptions {
  db: Database;
  queue: RunQueue;
  clock: Clock;
}

export interface QueueCount {
  /** The queues there are. */
  queues(): readonly string[];
  /** How many runs were queued when they were counted last. */
  queued(): number;
  readonly step: HealingStep;
}

/** Compares how many runs the queue has with how many it should have, for what no marker tells: a queue emptied by hand. */
export function createQueueCount(
  { db, queue, clock }: QueueCountOptions,
  watch: Pick<QueueWatch, 'resyncRequest'>,
  onExcess: () => void,
): QueueCount {
  let countedMs = Number.NEGATIVE_INFINITY;
  let loads: QueueLoad[] = [];

  const queues = (): string[] => loads.map((load) => load.queue);

  async function count(): Promise<void> {
    loads = await countQueued(db);
    const counts = await queue.counts(queues());
    const surplus = loads.map(({ queue: name, queued, running }) => {
      const { waiting = 0, delayed = 0, active = 0, repeats = 0, bundled = 0 } = counts[name] ?? {};
      const inQueue = waiting + delayed + active - repeats + bundled;
      return { short: queued - inQueue, over: inQueue - queued - running };
    });
    // Under a resync request all is compared already.
    if (watch.resyncRequest !== undefined) return;
    if (surplus.some(({ short }) => short > TOLERANCE)) await requestResync(db);
    if (surplus.some(({ over }) => over > TOLERANCE)) onExcess();
  }

  return {
    queues,
    queued: () => loads.reduce((sum, load) => sum + load.queued, 0),
    step: {
      name: 'queue count',
      async heal() {
        const nowMs = clock.monotonicMs();
        if (nowMs - countedMs < EVERY_MS) return NOTHING;
        countedMs = nowMs;
        await count();
        return NOTHING;
      },
    },
  };
}
