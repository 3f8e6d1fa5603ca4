import { readInstant } from '@escapement/core';
import type { Context } from '../context.ts';
import { systemZone } from '../output/wording.ts';

/** When a pause ends by itself, as `--until` says it; null: when somebody ends it. Throws `bad_instant`. */
export function pauseEnd({ until }: { until?: string }, { clock }: Context): Date | null {
  if (until === undefined) return null;
  return readInstant(until, { what: '--until', now: clock.now(), spans: 'ahead', timeZone: systemZone() });
}
