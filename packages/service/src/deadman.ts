import { type Clock, SECOND } from '@escapement/core';
import { maskUrlPath } from '@escapement/core/mask';
import type { Logger } from './logger.ts';
import { createLoop, type Service } from './loop.ts';
import type { Timer } from './timer.ts';

export interface DeadmanOptions {
  /** Called with GET. Its path is taken as a secret and never logged. */
  url: string;
  /** Between two calls. Milliseconds. */
  intervalMs: number;
  /** No call while this is false: the silence is the alarm. A rejection counts as false. */
  healthy: () => boolean | Promise<boolean>;
  log: Logger;
  /** Longest wait for an answer. Milliseconds, default 10,000. */
  timeoutMs?: number;
  clock?: Clock;
  timer?: Timer;
}

/** Tells a service outside that this process is well, so that it raises the alarm when the calls stop. */
export function createDeadman(options: DeadmanOptions): Service {
  const { url, intervalMs, timeoutMs = 10 * SECOND } = options;
  const log = options.log.child({ who: 'deadman' });
  let withheld = false;

  async function isHealthy(): Promise<boolean> {
    try {
      return await options.healthy();
    } catch (err) {
      log.warn({ err }, 'health unknown');
      return false;
    }
  }

  function reportChange(nowWithheld: boolean): void {
    if (nowWithheld === withheld) return;
    withheld = nowWithheld;
    if (withheld) log.warn({}, 'not healthy: no more pings until it is');
    else log.info({}, 'healthy again: pings go on');
  }

  async function ping(): Promise<number> {
    const healthy = await isHealthy();
    reportChange(!healthy);
    if (!healthy) return Math.min(intervalMs, SECOND);
    const response = await fetch(url, { redirect: 'follow', signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the answer was status ${response.status}`);
    return intervalMs;
  }

  return createLoop({
    name: 'deadman',
    runOnce: ping,
    onError: (err, { failures, retryInMs }) =>
      log.warn({ err, failures, retryInMs, url: maskUrlPath(url) }, 'ping failed'),
    backoff: { minMs: Math.min(SECOND, intervalMs), maxMs: intervalMs },
    jitter: 0,
    ...(options.clock && { clock: options.clock }),
    ...(options.timer && { timer: options.timer }),
  });
}
