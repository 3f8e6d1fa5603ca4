import { randomUUID } from 'node:crypto';
import { type Clock, cancelledReason, decide, type Verdict } from '@escapement/core';
import { type Database, isConnectionError, type LostRun, lostRuns, settleRuns } from '@escapement/store';
import { type Definitions, type LossPolicy, UNREADABLE } from '../definitions.ts';
import type { Emit } from '../events.ts';
import { batchStep, type HealingStep } from './step.ts';

const BATCH = 500;

export interface LostRunsOptions {
  db: Database;
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

/** Ends or retries runs that nobody runs. */
export function lostRunsStep(options: LostRunsOptions): HealingStep {
  const { db } = options;

  // When Postgres itself was away nobody could beat: workers get the time to be heard again before they are judged.
  async function settleLost(limit: number): Promise<number> {
    if (options.steadyMs() < options.deadMs) return 0;
    const runs = await lostRuns(db, { deadMs: options.deadMs, limit });
    if (runs.length === 0) return 0;
    const judged = await Promise.all(runs.map(async (run) => ({ run, verdict: await judge(run) })));
    const results = await settleRuns(
      db,
      judged.map(({ run, verdict }) => ({
        runId: run.runId,
        scheduledFor: run.scheduledFor,
        seen: { state: 'running', dispatch: run.dispatch, attempt: run.attempt },
        fence: null,
        settleId: randomUUID(),
        verdict,
      })),
    );
    const settled = judged.filter((_, index) => results[index] === 'applied');
    await Promise.all(settled.map(tell));
    return settled.length;
  }

  // Of each that is not tried again, once: by who settled it. The others are only counted, a dead worker may have had many.
  async function tell({ run, verdict }: { run: LostRun; verdict: Verdict }): Promise<void> {
    if (verdict.to === 'retrying') return;
    const { runId, worker, attempt } = run;
    const task = await options.definitions.get(run.taskId, run.taskVersion).catch(() => null);
    const lost = run.lost + 1;
    const { to: state, reason } = verdict;
    options.emit({ event: 'run_lost', run: runId, task: task?.name ?? null, state, reason, worker, attempt, lost });
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

  return batchStep('lost_run', BATCH, settleLost);
}
