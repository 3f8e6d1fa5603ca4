import { setTimeout as delay } from 'node:timers/promises';
import { type Probe, startProbe } from './probe.ts';

const LOOK_MS = 20;

/** One for all files that share a process; it ends with that. */
let probe: Promise<Probe> | undefined;

function sharedProbe(): Promise<Probe> {
  probe ??= startProbe();
  return probe;
}

/** Tells how many fair milliseconds have passed since it was started: what a bound in seconds is to be compared with. */
export async function stopwatch(): Promise<() => Promise<number>> {
  const tookMs = (await sharedProbe()).stopwatch();
  return async () => {
    // What the probe has said while this process was at work is read first: that work is no fault of the machine.
    await delay(1);
    return tookMs();
  };
}

/** Waits until the check passes, and returns what it does. Once so many fair milliseconds are over it fails as the check does. */
export async function eventually<Value>(check: () => Value | Promise<Value>, fairMs = 10_000): Promise<Value> {
  const isOver = (await sharedProbe()).patience(fairMs);
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (isOver()) throw error;
    }
    await delay(LOOK_MS);
  }
}
