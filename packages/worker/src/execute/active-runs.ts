import type { AbortReason, CancelRequest } from '@escapement/core';

type Abort = (reason: AbortReason) => void;

/**
 * The active runs of a worker: what its heartbeats list, and what a shutdown or a lost lease aborts. A run is active from before
 * its begin, so that a begin whose reply was lost is not taken for a run that nobody runs, until its finish is known.
 */
export interface ActiveRuns {
  /**
   * `ours`, unless it is active already: by the same dispatch, whose job then was delivered `twice`, or by an `earlier`
   * one that has been woken again before it was released.
   */
  claim(runId: string, dispatch: number): 'ours' | 'twice' | 'earlier';
  /** Resolves when the run is not active any more. */
  released(runId: string): Promise<void>;
  /** How its handler is aborted; at once, if that was asked for before. */
  onAbort(runId: string, abort: Abort): void;
  release(runId: string): void;
  ids(): string[];
  readonly size: number;
  abortAll(reason: AbortReason): void;
  /** How it is known that the lease of a run is still its worker's own for so many milliseconds. */
  proveBy(runId: string, isLeasedFor: (ms: number) => boolean): void;
  /**
   * Whether the run would stay this worker's own if it began now. If so, it forgets that a proof was missing before: that was said
   * of an earlier moment, at which the run had not begun.
   */
  mayBegin(runId: string): boolean;
  /** Aborts the runs that nothing proves at this moment. */
  abortUnproven(): void;
  /** Aborts a run because somebody wants it cancelled. */
  cancel(runId: string, request: CancelRequest): void;
  /** The request that a run was aborted for, while it is active. */
  cancelRequest(runId: string): CancelRequest | undefined;
  /** Resolves when none is active. */
  empty(): Promise<void>;
}

interface Active {
  dispatch: number;
  /** Told when it is released. */
  waiting: (() => void)[];
  isLeasedFor?: (ms: number) => boolean;
  abort?: Abort;
  /** Asked for before there was a handler. A lost proof gives way to a reason that stays true. */
  pending?: AbortReason | undefined;
  /** Who wants it cancelled. */
  request?: CancelRequest;
}

/** What proves that runs are their worker's own. */
export interface Proof {
  /** Whether Postgres has heard this worker, and so which runs are active. */
  isHeard: () => boolean;
  /** A lease proves a run if it is good for so many milliseconds to come. */
  marginMs: number;
}

export function createActiveRuns({ isHeard, marginMs }: Proof): ActiveRuns {
  const runs = new Map<string, Active>();
  let waiting: (() => void)[] = [];

  function abort(runId: string, reason: AbortReason): void {
    const active = runs.get(runId);
    if (!active) return;
    if (active.abort) active.abort(reason);
    else if (active.pending === undefined || active.pending === 'lease_lost') active.pending = reason;
  }

  function isProven({ isLeasedFor }: Active): boolean {
    return isHeard() || (isLeasedFor?.(marginMs) ?? false);
  }

  return {
    claim(runId, dispatch) {
      const active = runs.get(runId);
      if (active) return active.dispatch < dispatch ? 'earlier' : 'twice';
      runs.set(runId, { dispatch, waiting: [] });
      return 'ours';
    },
    released(runId) {
      const active = runs.get(runId);
      return active ? new Promise((resolve) => active.waiting.push(resolve)) : Promise.resolve();
    },
    onAbort(runId, onAbort) {
      const active = runs.get(runId);
      if (!active) return;
      active.abort = onAbort;
      if (active.pending) onAbort(active.pending);
    },
    release(runId) {
      for (const resolve of runs.get(runId)?.waiting ?? []) resolve();
      runs.delete(runId);
      if (runs.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    ids: () => [...runs.keys()],
    get size() {
      return runs.size;
    },
    abortAll(reason) {
      for (const runId of [...runs.keys()]) abort(runId, reason);
    },
    proveBy(runId, isLeasedFor) {
      const active = runs.get(runId);
      if (active) active.isLeasedFor = isLeasedFor;
    },
    mayBegin(runId) {
      const active = runs.get(runId);
      if (!active || !isProven(active)) return false;
      if (active.pending === 'lease_lost') active.pending = undefined;
      return true;
    },
    abortUnproven() {
      for (const [runId, active] of runs) if (!isProven(active)) abort(runId, 'lease_lost');
    },
    cancel(runId, request) {
      const active = runs.get(runId);
      if (!active) return;
      active.request ??= request;
      abort(runId, 'cancelled');
    },
    cancelRequest: (runId) => runs.get(runId)?.request,
    empty: () => (runs.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
