import type { AbortReason, AttemptBounds } from '@escapement/core';
import { type HeartbeatTimeout, watchHeartbeat } from './heartbeat-timeout.ts';
import { after } from './long-timer.ts';

/** The limits of an attempt, which abort it. */
export interface AttemptLimits {
  /** The handler lives. */
  onReport(): void;
  /** They do not count until `resume`, and then from their beginning. */
  suspend(): void;
  resume(): void;
  /** They count no more. */
  stop(): void;
}

type Bounds = Pick<AttemptBounds, 'timeoutMs' | 'heartbeatTimeoutMs'>;

export function startLimits(bounds: Bounds, abort: (reason: AbortReason) => void): AttemptLimits {
  let stopped = false;
  let cancel: () => void = () => undefined;
  let heartbeat: HeartbeatTimeout | undefined;

  function count(): void {
    cancel = after(bounds.timeoutMs, () => abort('timeout'));
    heartbeat = watchHeartbeat(bounds.heartbeatTimeoutMs, () => abort('heartbeat'));
  }

  function suspend(): void {
    cancel();
    heartbeat?.stop();
  }

  count();
  return {
    onReport: () => heartbeat?.onReport(),
    suspend,
    resume() {
      suspend();
      if (!stopped) count();
    },
    stop() {
      stopped = true;
      suspend();
    },
  };
}
