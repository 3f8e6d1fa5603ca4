import { SECOND } from '@escapement/core';
import type { FaultWindow } from '../evidence.ts';

/** I6: a run starts within this time after there is capacity for it. */
export const START_BOUND_MS = 5 * SECOND;

/**
 * By when something due at `dueMs` must have happened: 5 s later; and where a fault began before that was over,
 * 5 s after the fault had healed. A healed fault excuses nothing.
 */
export function deadline(dueMs: number, faults: readonly FaultWindow[]): number {
  let byMs = dueMs + START_BOUND_MS;
  for (const fault of [...faults].sort((a, b) => a.fromMs - b.fromMs))
    if (fault.fromMs <= byMs) byMs = Math.max(byMs, excusedUntil(fault) + START_BOUND_MS);
  return byMs;
}

/** Until when a fault may rightly hold something up. */
export function excusedUntil({ excusedMs, healedMs }: FaultWindow): number {
  return excusedMs ?? healedMs;
}
