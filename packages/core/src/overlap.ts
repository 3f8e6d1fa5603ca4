import type { OverlapPolicy } from './task.ts';
import { formatSpan } from './verdict.ts';

/** So many runs may wait for a key under `wait-all` unless the task says otherwise. */
const DEFAULT_MAX_WAITING = 1000;

/** What a run whose key is busy does: waits, unless so many wait already, and no longer than this. Undefined: no bound. */
export interface WaitBounds {
  maxWaiting?: number | undefined;
  maxWaitMs?: number | undefined;
}

/**
 * How a run waits under its policy. Overlap is a matter of the row, which may have been made under another policy than the
 * task's own (a catch-up of all occurrences waits in any case): it then has that policy's defaults.
 */
export function waitBounds(policy: OverlapPolicy['policy'], declared?: OverlapPolicy): WaitBounds {
  switch (policy) {
    case 'allow':
      return { maxWaiting: 0 };
    case 'skip': {
      const waitMs = declared?.policy === 'skip' ? (declared.skipAfterMs ?? 0) : 0;
      return waitMs > 0 ? { maxWaitMs: waitMs } : { maxWaiting: 0 };
    }
    case 'wait-one':
      return { maxWaiting: 1 };
    case 'wait-all': {
      const { maxWaiting, maxWaitMs } = declared?.policy === 'wait-all' ? declared : {};
      return { maxWaiting: maxWaiting ?? DEFAULT_MAX_WAITING, maxWaitMs };
    }
    case 'replace':
      return {};
  }
}

/** `holder`: null where it waited for its task's rate. */
export function overwaitedReason(key: string, holder: string | null, waitedMs: number): string {
  const obstacle = holder === null ? "it was over its task's rate" : `the key "${key}" was held by run ${holder}`;
  return `${obstacle}, and it had waited for ${formatSpan(waitedMs)}`;
}

export function replacedReason(by: string): string {
  return `replaced by run ${by} before it started`;
}
