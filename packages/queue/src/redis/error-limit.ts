import { type Clock, SECOND, systemClock } from '@escapement/core';

/** Passes on at most this many errors in a second; an outage makes thousands. */
const PER_SECOND = 2;
/** The same message is passed on once in this time. */
const REPEAT_MS = 10 * SECOND;
/** More different messages than this are not told apart, so that messages with ids cannot fill the memory. */
const MAX_MESSAGES = 50;

/**
 * Wraps an error listener so that it hears of every kind of error, but not of every error: the
 * connections and BullMQ's workers report one each time they try. Never throws.
 */
export function createErrorLimit(onError: ((error: Error) => void) | undefined, clock: Clock = systemClock) {
  const lastMs = new Map<string, number>();
  let windowMs = Number.NEGATIVE_INFINITY;
  let inWindow = 0;

  function admits(message: string): boolean {
    const nowMs = clock.monotonicMs();
    if (nowMs - (lastMs.get(message) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return false;
    if (nowMs - windowMs >= SECOND) {
      windowMs = nowMs;
      inWindow = 0;
    }
    if (inWindow >= PER_SECOND) return false;
    inWindow += 1;
    if (lastMs.size >= MAX_MESSAGES) lastMs.clear();
    lastMs.set(message, nowMs);
    return true;
  }

  return (error: Error): void => {
    if (!onError || !admits(error.message)) return;
    try {
      onError(error);
    } catch {
      // A listener that throws must not end a connection.
    }
  };
}
