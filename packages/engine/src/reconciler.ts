import { randomUUID } from 'node:crypto';
import { type Clock, cancelledReason, decide, SECOND, type TaskDefinition, type Verdict } from '@escapement/core';
import type { RunQueue } from '@escapement/queue';
import { createLoop, type Loop } from '@escapement/service';
import {
  type Database,
  type DispatchableRun,
  endCancelledRuns,
  freeDeadSlots,
  isConnectionError,
  type LostRun,
  lostRuns,
  passGate,
  queuedRuns,
  settleRuns,
} from '@escapement/store';
import type { Definitions } from './definitions.ts';
import type { Emit } from './events.ts';

/** One replica in each interval compares queue and ledger. */
const EVERY_MS = 1 * SECOND;
const LOST_BATCH = 500;
const QUEUED_BATCH = 2000;
const SLOT_BATCH = 500;
const CANCEL_BATCH = 500;

type LossPolicy = Pick<TaskDefinition, 'maxLost' | 'retry'>;

/** The defaults: a worker of another version may be able to read it; where none can the run is soon quarantined. */
const UNREADABLE: LossPolicy = { maxLost: 3, retry: { maxAttempts: 1 } };

export interface ReconcilerOptions {
  db: Database;
  queue: RunQueue;
  definitions: Definitions;
  clock: Clock;
  databaseNow: () => Date | null;
  /** For how long this process' own beats have been getting through. */
  steadyMs: () => number;
  /** A worker that has not beaten for so long is dead. Milliseconds. */
  deadMs: number;
  emit: Emit;
  onError: (error: unknown) => void;
  random?: () => number;
}

/**
 * Makes queue and ledger equal again: ends or retries runs that nobody runs, ends those to be cancelled, adds again
 * what the ledger has and the queue has not, empties slots of runs that are over. Depends on nothing that it heals.
 */
export function createReconciler(options: ReconcilerOptions): Loop {
  const { db, queue, emit } = options;
  let cursor: { dueAt: Date; id: string } | undefined;

  async function runOnce(): Promise<number> {
    if (!(await passGate(db, 'reconciler', EVERY_MS))) return EVERY_MS;
    const lost = await settleLost();
    const cancelled = await endCancelledRuns(db, CANCEL_BATCH);
    const { readded, more } = await readd();
    const freedSlots = await freeDeadSlots(db, SLOT_BATCH);
    if (lost + cancelled + readded + freedSlots > 0)
      emit({ event: 'reconciled', lost, cancelled, readded, freedSlots });
    return more ? 0 : EVERY_MS;
  }

  // When Postgres itself was away nobody could beat: workers get the time to be heard again before they are judged.
  async function settleLost(): Promise<number> {
    if (options.steadyMs() < options.deadMs) return 0;
    const runs = await lostRuns(db, { deadMs: options.deadMs, limit: LOST_BATCH });
    if (runs.length === 0) return 0;
    const settlements = await Promise.all(
      runs.map(async (run) => ({
        runId: run.runId,
        scheduledFor: run.scheduledFor,
        seen: { state: 'running', dispatch: run.dispatch, attempt: run.attempt },
        fence: null,
        settleId: randomUUID(),
        verdict: await judge(run),
      })),
    );
    const results = await settleRuns(db, settlements);
    return results.filter((result) => result === 'applied').length;
  }

  async function judge(run: LostRun): Promise<Verdict> {
    const now = options.databaseNow() ?? options.clock.now();
    if (run.cancel) {
      const reason = cancelledReason(run.cancel, 'when its worker vanished');
      return { to: 'cancelled', reason, lost: true, spared: true };
    }
    const tries = { ...run, ...(await policyOf(run)) };
    return decide({ kind: 'lost', worker: run.worker }, tries, now, (options.random ?? Math.random)());
  }

  // A definition that this version cannot read must not keep the other runs from being healed.
  async function policyOf(run: LostRun): Promise<LossPolicy> {
    try {
      const { definition } = await options.definitions.get(run.taskId, run.taskVersion);
      return { maxLost: definition.maxLost, retry: definition.retry };
    } catch (error) {
      if (isConnectionError(error)) throw error;
      options.onError(error);
      return UNREADABLE;
    }
  }

  async function readd(): Promise<{ readded: number; more: boolean }> {
    const runs = await queuedRuns(db, { after: cursor, limit: QUEUED_BATCH });
    const last = runs.at(-1);
    const more = runs.length === QUEUED_BATCH;
    const present = await queue.present(runs.map(toRef));
    // Not before: a Redis that has just come back may take seconds to answer, and each run would be as much late.
    const now = options.databaseNow();
    if (!now) return { readded: 0, more: false };
    const missing = runs.filter((_, index) => present[index] === false);
    const results = await queue.add(
      missing.map((run) => ({ ...toRef(run), delayMs: run.dueAt.getTime() - now.getTime() })),
    );
    const readded = results.filter((result) => result.ok).length;
    const failed = results.find((result) => !result.ok);
    if (failed && !failed.ok) emit({ event: 'dispatch_failed', runs: missing.length - readded, error: failed.error });
    cursor = more && last ? { dueAt: last.dueAt, id: last.id } : undefined;
    return { readded, more };
  }

  return createLoop({ name: 'reconciler', runOnce, onError: options.onError });
}

function toRef(run: DispatchableRun): { pool: string; runId: string; dispatch: number } {
  return { pool: run.pool, runId: run.id, dispatch: run.dispatch };
}
