import { formatRate } from '@escapement/core';
import type { RateView } from '@escapement/store';
import { inUtc } from './wording.ts';

/** Whose rate it is. */
export function rateTitle({ pool, rateKey }: RateView): string {
  return pool === null ? rateKey : `the pool "${pool}"`;
}

/** How much of a rate is used up, and when the next run may start. */
export function rateUseWords({ limit, perMs, started, waiting, nextAt }: RateView): string {
  const next = nextAt === null ? 'the next may start now' : `the next may start at ${inUtc(nextAt)}`;
  return `${started} of ${formatRate({ limit, perMs })} used, ${waiting} waiting, ${next}`;
}
