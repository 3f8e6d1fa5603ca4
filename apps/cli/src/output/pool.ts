import type { PoolPause } from '@escapement/operations';
import { inUtc } from './wording.ts';

/** A pause of a pool in words. */
export function poolPauseWords({ fromAt, untilAt, note, by }: PoolPause): string {
  const end = untilAt ? `until ${inUtc(untilAt)}` : 'until resumed';
  return `paused since ${inUtc(fromAt)} ${end}, by ${by}${note ? `: ${note}` : ''}`;
}
