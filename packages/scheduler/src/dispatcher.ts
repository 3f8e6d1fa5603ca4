import type { Clock, Emit } from '@escapement/core';
import type { RunQueue } from '@escapement/queue';
import { createLoop, type Loop } from '@escapement/service';
import { type Database, type DispatchableRun, dispatchableRuns, markQueued, splitOnDataFault } from '@escapement/store';
import { NO_PROBES, type Probes } from './probes.ts';

/** Wait between two looks at the ledger; triggers wake the dispatcher sooner. */
const WAIT_MS = 500;
/** A run whose repeat has not come by then gets a job of its own. */
const REPEAT_GRACE_MS = 1500;
const BATCH = 1000;
const MARK_BATCH = 500;

export interface DispatcherOptions {
  db: Database;
  queue: RunQueue;
  /** Postgres' clock; null while it is not known, or ours is off: nothing is dispatched. */
  databaseNow: () => Date | null;
  clock: Clock;
  /** Runs due within it are dispatched. Milliseconds. */
  horizonMs: number;
  /** Asked before each look. Default: it looks each time. */
  probes?: Pick<Probes, 'see'>;
  emit: Emit;
  onError: (error: unknown) => void;
}

export interface Dispatcher extends Loop {
  /**
   * Adds the jobs of runs that the ledger has as queued. What fails is left to the reconciler. Returns those that the
   * queue has taken.
   */
  enqueue(runs: readonly DispatchableRun[]): Promise<DispatchableRun[]>;
}

/**
 * Tells the queue of runs by hand, retries and whatever else waits in the ledger. A crash between the add and the mark
 * is healed by adding again: the job id carries the run's dispatch number, and BullMQ ignores an id it still holds.
 * Runs that repeats bring to a worker are left to them until they are late.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, queue, clock, emit, probes = NO_PROBES } = options;

  async function enqueue(runs: readonly DispatchableRun[]): Promise<DispatchableRun[]> {
    const now = options.databaseNow();
    if (!now || runs.length === 0) return [];
    const startedMs = clock.monotonicMs();
    const results = await queue.add(
      runs.map((run) => ({
        queue: run.queue,
        runId: run.id,
        dispatch: run.dispatch,
        delayMs: run.dueAt.getTime() - now.getTime(),
        dueMs: run.dueAt.getTime(),
      })),
    );
    const added = runs.filter((_, index) => results[index]?.ok);
    const tookMs = Math.round(clock.monotonicMs() - startedMs);
    if (added.length > 0) emit({ event: 'dispatched', runs: added.length, jobs: added, tookMs });
    const failed = results.find((result) => !result.ok);
    if (failed && !failed.ok) emit({ event: 'dispatch_failed', runs: runs.length - added.length, error: failed.error });
    return added;
  }

  async function runOnce(): Promise<number> {
    if (!options.databaseNow()) return WAIT_MS;
    if (!(await probes.see('untold', 'unrepeated'))) return WAIT_MS;
    const runs = await dispatchableRuns(db, {
      horizonMs: options.horizonMs,
      repeatGraceMs: REPEAT_GRACE_MS,
      limit: BATCH,
    });
    const added = await enqueue(runs.map((run) => ({ ...run, dispatch: run.dispatch + 1 })));
    for (let at = 0; at < added.length; at += MARK_BATCH) await mark(added.slice(at, at + MARK_BATCH));
    // What the queue does not take is not asked again at once.
    return added.length === BATCH ? 0 : WAIT_MS;
  }

  async function mark(runs: readonly DispatchableRun[]): Promise<void> {
    await splitOnDataFault(runs, {
      write: (part) => markQueued(db, part),
      refused: ({ id }, cause) => options.onError(new Error(`run ${id} cannot be marked as queued`, { cause })),
    });
  }

  return { ...createLoop({ name: 'dispatcher', runOnce, onError: options.onError, minWaitMs: 10 }), enqueue };
}
