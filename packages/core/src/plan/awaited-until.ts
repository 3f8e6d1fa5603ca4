import { DAY } from '../clock.ts';
import { type CatchUpPolicy, DEFAULT_CATCH_UP } from './catch-up-policy.ts';

/** So long a run waits for the worker that it belongs to at most, where its task says nothing else. */
export const WORKER_AWAITED_MS = 1 * DAY;

/**
 * Until when a caught-up run waits for the worker that it belongs to: as long as its policy would still catch it up.
 * `periodMs`: to the next occurrence; null: there is none.
 */
export function awaitedUntil(scheduledFor: Date, catchUp: CatchUpPolicy | undefined, periodMs: number | null): Date {
  const policy = catchUp ?? DEFAULT_CATCH_UP;
  const withinMs = 'withinMs' in policy ? policy.withinMs : undefined;
  const ownMs = policy.policy === 'latest' ? (periodMs ?? WORKER_AWAITED_MS) : WORKER_AWAITED_MS;
  return new Date(scheduledFor.getTime() + Math.min(withinMs ?? ownMs, WORKER_AWAITED_MS));
}
