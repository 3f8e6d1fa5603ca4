import { SECOND } from '@escapement/core';
import type { Evidence, FaultWindow } from '../evidence.ts';

/** I6: a run starts within this time after there is capacity for it. */
export const START_BOUND_MS = 5 * SECOND;

/**
 * By when something due at `dueMs` must have happened: 5 fair seconds later; and where a fault began before that was over,
 * 5 fair seconds after the fault had healed. A healed fault excuses nothing.
 */
export function deadline(dueMs: number, { faults, pace }: Pick<Evidence, 'faults' | 'pace'>): number {
  let byMs = pace.after(dueMs, START_BOUND_MS);
  for (const fault of [...faults].sort((a, b) => a.fromMs - b.fromMs))
    if (fault.fromMs <= byMs) byMs = Math.max(byMs, pace.after(excusedUntil(fault), START_BOUND_MS));
  return byMs;
}

/** Until when a fault may rightly hold something up. */
export function excusedUntil({ excusedMs, healedMs }: FaultWindow): number {
  return excusedMs ?? healedMs;
}
