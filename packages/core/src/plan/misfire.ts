import { MINUTE } from '../clock.ts';

/** An occurrence later than this is a misfire, unless the task says otherwise or its schedule is denser. */
const MISFIRE_THRESHOLD_MS = 1 * MINUTE;

/**
 * How late an occurrence may start and still count as started late. `periodMs` is the time to the occurrence after it;
 * null: there is none. A schedule denser than the default threshold has half its period.
 */
export function misfireThresholdMs(asked: number | undefined, periodMs: number | null): number {
  if (asked !== undefined) return asked;
  return periodMs !== null && periodMs < MISFIRE_THRESHOLD_MS ? periodMs / 2 : MISFIRE_THRESHOLD_MS;
}
