import { MINUTE, systemClock } from '@escapement/core';
import type { RunQueue } from '@escapement/queue';

const GIVE_UP_MS = 2 * MINUTE;
const QUEUE = 'default';

/** Waits until the queue of the default pool has so many runs that are not begun. */
export async function filled(queue: RunQueue, runs: number): Promise<void> {
  const startedMs = systemClock.monotonicMs();
  while ((await queuedRuns(queue)) < runs) {
    if (systemClock.monotonicMs() - startedMs > GIVE_UP_MS) throw new Error(`not healed after ${GIVE_UP_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Several runs share a job. */
async function queuedRuns(queue: RunQueue): Promise<number> {
  const counts = (await queue.counts([QUEUE]))[QUEUE];
  return counts === undefined ? 0 : counts.waiting + counts.delayed + counts.bundled;
}
