import { DAY, SECOND } from './clock.ts';

/** A server that asks for more is asked again after this. */
const MAX_WAIT_MS = 1 * DAY;

/**
 * The instant that a `Retry-After` header asks for (RFC 9110, 10.2.3): seconds or an HTTP date, at
 * most a day ahead. Undefined where the header is missing, unreadable or past.
 */
export function retryAfter(header: string | undefined, now: Date): Date | undefined {
  const text = header?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - now.getTime();
  return waitMs > 0 ? new Date(now.getTime() + Math.min(waitMs, MAX_WAIT_MS)) : undefined;
}
