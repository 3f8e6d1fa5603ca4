import type { Enqueue } from '@escapement/operations';
import type { WokenRun } from '@escapement/store';
import type { Slots } from './take-lease.ts';

/** The lease goes to the next in the wait queue, which begins here or goes into its queue: both at once, since a Redis may be slow to answer. */
export async function handOver(woken: readonly WokenRun[], slots: Slots, wake: Enqueue): Promise<void> {
  const next = woken.find(({ key, slot }) => key === slots.lease?.key && slot === slots.lease.slot);
  await Promise.all([slots.lease?.release(next?.id), wake(woken)]);
}
