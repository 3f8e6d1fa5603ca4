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

/** The time, to the second: one timer for all that show one. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
