/** Longest delay Node's timers take, 24.8 days; a larger one fires at once. A time limit may be 30 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Calls `callback` after so long, however long that is. Returns what undoes it. */
export function after(ms: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  function arm(leftMs: number): void {
    const next = leftMs > LONGEST_TIMER_MS ? () => arm(leftMs - LONGEST_TIMER_MS) : callback;
    timer = setTimeout(next, Math.min(leftMs, LONGEST_TIMER_MS));
  }
  arm(ms);
  return () => clearTimeout(timer);
}
