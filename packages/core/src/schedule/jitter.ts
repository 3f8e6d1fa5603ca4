import { LAST_INSTANT_MS } from '../instant.ts';
import { hashTo } from './cron/hash.ts';
import { nextFire } from './next-fire.ts';
import type { Schedule } from './schedule.ts';

/**
 * By how many milliseconds the occurrence at `instant` is delayed: the same for the same seed (the task's
 * name) and instant, from 0 to less than `jitterMs`, and never so long that it reaches the next occurrence.
 * 0 where the schedule has no jitter.
 */
export function jitterOf(schedule: Schedule, instant: Date, seed: string): number {
  const { jitterMs = 0 } = schedule.spec;
  if (jitterMs === 0) return 0;
  const next = nextFire(schedule, instant);
  const room = (next?.getTime() ?? LAST_INSTANT_MS + 1) - instant.getTime();
  return hashTo(seed, String(instant.getTime()), Math.min(jitterMs, room));
}
