import { MINUTE } from '../clock.ts';
import { formatSpan } from '../format-span.ts';

/** An occurrence later than this is a misfire, unless the task says otherwise or its schedule is denser. */
const MISFIRE_THRESHOLD_MS = 1 * MINUTE;

/** Which servers were away while an occurrence should have started, as `Postgres was away`; undefined: none, as far as is known. */
export type AwayDuring = (from: Date, until: Date) => string | undefined;

/** What an occurrence has missed, for its row: `no scheduler planned it within 60 s`. `away`: why, if that is known. */
export function misfireWords(who: string, thresholdMs: number, away: string | undefined): string {
  return `${away === undefined ? '' : `${away}, and `}${who} it within ${formatSpan(thresholdMs)}`;
}

/**
 * How late an occurrence may start and still count as started late. `periodMs` is the time to the occurrence after it;
 * null: there is none. A schedule denser than the default threshold has half its period.
 */
export function misfireThresholdMs(asked: number | undefined, periodMs: number | null): number {
  if (asked !== undefined) return asked;
  return periodMs !== null && periodMs < MISFIRE_THRESHOLD_MS ? periodMs / 2 : MISFIRE_THRESHOLD_MS;
}

/** From when on the lateness of an occurrence counts: one that had passed when its task was saved is late from then on. */
export function lateFrom(dueAt: Date, effectiveAt: Date | undefined): Date {
  return effectiveAt && effectiveAt > dueAt ? effectiveAt : dueAt;
}

export interface MisfireRules {
  misfireThresholdMs?: number | undefined;
  /** Jitter. Default: none. */
  delayMs?: ((at: Date) => number) | undefined;
}

/** When an occurrence misfires if nobody starts it; `after`: the occurrence after it. */
export function misfiresAtOf(rules: MisfireRules): (at: Date, after: Date | null) => Date {
  return (at, after) => {
    const periodMs = after ? after.getTime() - at.getTime() : null;
    return new Date(at.getTime() + (rules.delayMs?.(at) ?? 0) + misfireThresholdMs(rules.misfireThresholdMs, periodMs));
  };
}
