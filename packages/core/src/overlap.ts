import type { OverlapPolicy } from './task.ts';
import { formatSpan } from './verdict.ts';

/** So many runs may wait for a key under `wait-all` unless the task says otherwise. */
export const DEFAULT_MAX_WAITING = 1000;

/** What a run whose key is busy does by its policy. */
export type WhenBusy =
  /** Takes no slot: its key is never busy for it. */
  | { kind: 'overlap' }
  | { kind: 'skip' }
  /** Gets in line, unless so many are in it already. Undefined: no bound. */
  | { kind: 'wait'; maxWaiting?: number | undefined; maxWaitMs?: number | undefined };

/**
 * Overlap is a matter of the row, which may have been made under another policy than the task's own (a catch-up of all
 * occurrences waits in any case): it then has that policy's defaults.
 */
export function whenBusy(policy: OverlapPolicy['policy'], declared: OverlapPolicy): WhenBusy {
  switch (policy) {
    case 'allow':
      return { kind: 'overlap' };
    case 'skip': {
      const waitMs = declared.policy === 'skip' ? (declared.skipAfterMs ?? 0) : 0;
      return waitMs > 0 ? { kind: 'wait', maxWaitMs: waitMs } : { kind: 'skip' };
    }
    case 'wait-one':
      return { kind: 'wait', maxWaiting: 1 };
    case 'wait-all': {
      const { maxWaiting, maxWaitMs } = declared.policy === 'wait-all' ? declared : {};
      return { kind: 'wait', maxWaiting: maxWaiting ?? DEFAULT_MAX_WAITING, maxWaitMs };
    }
    case 'replace':
      return { kind: 'wait' };
  }
}

/** How a skip is worded: each names the run in the way. */
export function busyReason(key: string, holder: string): string {
  return `the key "${key}" was held by run ${holder}`;
}

export function fullReason(key: string, holder: string, line: { others: number; waiter: string }): string {
  const waiting =
    line.others === 1 ? `run ${line.waiter} waited for it already` : `${line.others} runs waited for it already`;
  return `${busyReason(key, holder)}, and ${waiting}`;
}

export function overwaitedReason(key: string, holder: string, waitedMs: number): string {
  return `${busyReason(key, holder)}, and it had waited for ${formatSpan(waitedMs)}`;
}

export function replacedReason(by: string): string {
  return `replaced by run ${by} before it started`;
}
