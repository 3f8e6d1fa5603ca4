/** Longest delay Node's timers take; a larger one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Calls back later. Injected, so that tests turn the hands themselves instead of sleeping. */
export interface Timer {
  /** Calls back once after `ms` milliseconds, never within the call itself. Returns what cancels it. */
  after(ms: number, callback: () => void): () => void;
}

export const systemTimer: Timer = {
  after(ms, callback) {
    if (ms <= 0) {
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    }
    const timeout = setTimeout(callback, Math.min(ms, MAX_DELAY_MS));
    return () => clearTimeout(timeout);
  },
};
