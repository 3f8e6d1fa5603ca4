import { systemClock } from '@escapement/core';

/** Waits for an instant of the wall clock. */
export async function until(instantMs: number): Promise<void> {
  const waitMs = instantMs - systemClock.now().getTime();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}
