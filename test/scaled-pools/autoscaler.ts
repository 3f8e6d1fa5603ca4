import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '@escapement/core';

export interface AutoscalerOptions {
  /** The metric: how many runs want a place. */
  ask(): Promise<number>;
  /** Starts a worker, and resolves once it has been started; it may take its time until it works. */
  start(): Scaled;
  /** So many runs are for one worker. */
  target: number;
  /** At most so many workers. */
  most: number;
  pollingMs: number;
  /** None is left so long after there was last something to do. */
  cooldownMs: number;
}

/** Something that was started, and is told to end. */
export interface Scaled {
  terminate(): Promise<unknown>;
}

export interface Autoscaler {
  /** How many there are now. */
  count(): number;
  /** The most that there were at once. */
  peak(): number;
  /** Asks no more. Those that it has started stay. */
  stop(): Promise<void>;
}

/**
 * What KEDA and the horizontal autoscaler do for a Deployment: from none to one as soon as the metric is more than 0, then as many as it says
 * for each, at most `most`, and none once it has been 0 for the cool-down. The youngest are told to end first, with a run in their hands or not.
 */
export function startAutoscaler(options: AutoscalerOptions): Autoscaler {
  const { ask, start, target, most, pollingMs, cooldownMs } = options;
  const running: Scaled[] = [];
  const ending: Promise<unknown>[] = [];
  const ended = new AbortController();
  let activeMs = systemClock.monotonicMs();
  let peak = 0;

  function scaleTo(count: number): void {
    while (running.length < count) running.push(start());
    peak = Math.max(peak, running.length);
    while (running.length > count) ending.push(running.pop()?.terminate() ?? Promise.resolve());
  }

  async function runOnce(): Promise<void> {
    const runs = await ask();
    const nowMs = systemClock.monotonicMs();
    if (runs > 0) {
      activeMs = nowMs;
      scaleTo(Math.min(most, Math.ceil(runs / target)));
    } else if (nowMs - activeMs >= cooldownMs) scaleTo(0);
  }

  async function poll(): Promise<void> {
    while (!ended.signal.aborted) {
      await runOnce();
      await delay(pollingMs, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  }

  const polling = poll();
  return {
    count: () => running.length,
    peak: () => peak,
    async stop() {
      ended.abort();
      await polling;
      await Promise.all(ending);
    },
  };
}
