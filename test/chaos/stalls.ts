import { systemClock } from '@escapement/core';
import type { FaultWindow } from './evidence.ts';

const LOOK_MS = 100;
/** Shorter ones are noise. */
const STALL_MS = 700;

/**
 * Watches whether this machine itself stands still: a busy one may leave a process without the processor for a
 * while. That is a fault like the others, only nobody injected it, and no promise in seconds can be held against it.
 */
export function watchForStalls(): { stop(): FaultWindow[] } {
  const stalls: FaultWindow[] = [];
  let lastMs = systemClock.now().getTime();
  const timer = setInterval(() => {
    const nowMs = systemClock.now().getTime();
    const stoodMs = nowMs - lastMs - LOOK_MS;
    if (stoodMs > STALL_MS)
      stalls.push({ name: 'machine stood still', fromMs: lastMs, healedMs: nowMs, detail: `for ${stoodMs} ms` });
    lastMs = nowMs;
  }, LOOK_MS);
  return {
    stop() {
      clearInterval(timer);
      return stalls;
    },
  };
}
