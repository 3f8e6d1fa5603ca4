import { DAY, MINUTE } from '../clock.ts';
import type { Load } from './load.ts';

/** A time of day at which something could start, with the instants that it has on the days in question. */
export interface SlotCandidate {
  /** Minutes since midnight. */
  minute: number;
  /** In milliseconds since the epoch. */
  at: readonly number[];
}

export interface SlotQuestion {
  candidates: readonly SlotCandidate[];
  /** How long it would be at work. Milliseconds. */
  lengthMs: number;
  /** Slots wanted. */
  count: number;
}

export interface Slot {
  minute: number;
  /** On the worst of the days: runs at work at once beside it, if they take as long as half of theirs, or only 5 %, do. */
  p50: number;
  p95: number;
  /** Runs that start while it is at work, over all days. */
  starts: number;
}

/** The times of day at which least is at work, the best first, none within another; of two that are alike the earlier one. */
export function quietestSlots(load: Load, { candidates, lengthMs, count }: SlotQuestion): Slot[] {
  const slots = candidates
    .filter(({ at }) => at.length > 0)
    .map(({ minute, at }) => {
      const days = at.map((start) => load.of(start, start + lengthMs));
      return {
        minute,
        p50: Math.max(...days.map(({ p50 }) => p50.runs)),
        p95: Math.max(...days.map(({ p95 }) => p95.runs)),
        starts: days.reduce((sum, { starts }) => sum + starts, 0),
      };
    })
    .sort((a, b) => a.p95 - b.p95 || a.p50 - b.p50 || a.starts - b.starts || a.minute - b.minute);
  const chosen: Slot[] = [];
  for (const slot of slots) {
    if (chosen.length === count) break;
    if (chosen.every(({ minute }) => apart(minute, slot.minute) * MINUTE >= lengthMs)) chosen.push(slot);
  }
  return chosen;
}

/** Minutes between two times of day, the shorter way round. */
function apart(one: number, other: number): number {
  const minutes = Math.abs(one - other);
  return Math.min(minutes, DAY / MINUTE - minutes);
}
