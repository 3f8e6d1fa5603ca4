import type { AbortReason, CancelRequest } from '@escapement/core';

type Abort = (reason: AbortReason) => void;

/**
 * The runs a worker holds: what its heartbeats list, and what a shutdown or a lost lease aborts. A run is held from before
 * its begin, so that a begin whose reply was lost is not taken for a run that nobody runs, until its finish is known.
 */
export interface HeldRuns {
  /**
   * `ours`, unless it is held already: by the same dispatch, whose job then was delivered `twice`, or by an `earlier`
   * one that has been woken again before it was let go.
   */
  claim(runId: string, dispatch: number): 'ours' | 'twice' | 'earlier';
  /** Resolves when the run is not held any more. */
  released(runId: string): Promise<void>;
  /** How its handler is aborted; at once, if that was asked for before. */
  onAbort(runId: string, abort: Abort): void;
  release(runId: string): void;
  ids(): string[];
  readonly size: number;
  abortAll(reason: AbortReason): void;
  /** How it is known that the lease of a run is still its worker's own for so many milliseconds. */
  proveBy(runId: string, isLeasedFor: (ms: number) => boolean): void;
  /** Aborts the runs whose lease cannot be proven for so many milliseconds to come. */
  abortUnproven(marginMs: number): void;
  /** Aborts a run because somebody wants it cancelled. */
  cancel(runId: string, request: CancelRequest): void;
  /** The request that a run was aborted for, while it is held. */
  cancelRequest(runId: string): CancelRequest | undefined;
  /** Resolves when none is held. */
  empty(): Promise<void>;
}

interface Held {
  dispatch: number;
  /** Told when it is let go. */
  waiting: (() => void)[];
  isLeasedFor?: (ms: number) => boolean;
  abort?: Abort;
  /** Asked for before there was a handler. */
  pending?: AbortReason;
  /** Who wants it cancelled. */
  request?: CancelRequest;
}

export function createHeldRuns(): HeldRuns {
  const runs = new Map<string, Held>();
  let waiting: (() => void)[] = [];

  function abort(runId: string, reason: AbortReason): void {
    const held = runs.get(runId);
    if (!held) return;
    if (held.abort) held.abort(reason);
    else held.pending ??= reason;
  }

  return {
    claim(runId, dispatch) {
      const held = runs.get(runId);
      if (held) return held.dispatch < dispatch ? 'earlier' : 'twice';
      runs.set(runId, { dispatch, waiting: [] });
      return 'ours';
    },
    released(runId) {
      const held = runs.get(runId);
      return held ? new Promise((resolve) => held.waiting.push(resolve)) : Promise.resolve();
    },
    onAbort(runId, onAbort) {
      const held = runs.get(runId);
      if (!held) return;
      held.abort = onAbort;
      if (held.pending) onAbort(held.pending);
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
      const held = runs.get(runId);
      if (held) held.isLeasedFor = isLeasedFor;
    },
    abortUnproven(marginMs) {
      for (const [runId, { isLeasedFor }] of runs) if (!isLeasedFor?.(marginMs)) abort(runId, 'lease_lost');
    },
    cancel(runId, request) {
      const held = runs.get(runId);
      if (!held) return;
      held.request ??= request;
      abort(runId, 'cancelled');
    },
    cancelRequest: (runId) => runs.get(runId)?.request,
    empty: () => (runs.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
