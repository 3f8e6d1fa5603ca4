import { useSyncExternalStore } from 'react';
import { nowMs } from '../clock.ts';

const SECOND = 1000;
const listeners = new Set<() => void>();
let now = nowMs();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, SECOND);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Nobody sees a hidden tab. */
function tick(): void {
  if (document.hidden) return;
  now = nowMs();
  for (const listener of listeners) listener();
}

/** The time as it was at the last step: one timer for all that show one. Whoever asks is drawn anew at each step, of a second by default. */
export function useNow(stepMs = SECOND): number {
  return useOfNow((at) => at - (at % stepMs));
}

/** What `of` makes of the time, to the second: whoever asks is drawn anew only when that changes. */
export function useOfNow<T extends string | number>(of: (now: number) => T): T {
  return useSyncExternalStore(subscribe, () => of(now));
}
