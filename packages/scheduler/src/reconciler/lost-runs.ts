import { randomUUID } from 'node:crypto';
import {
  type Clock,
  cancelledReason,
  decide,
  type Emit,
  type EngineEvent,
  SECOND,
  type Verdict,
} from '@escapement/core';
import { lookUpLeases, type RedisConnection } from '@escapement/queue';
import {
  type Database,
  type Definitions,
  finishAndWake,
  isConnectionError,
  type LossPolicy,
  type LostRun,
  lostRuns,
  UNREADABLE,
} from '@escapement/store';
import { createLatest } from './latest.ts';
import { createLeaseProofs } from './lease-proofs.ts';
import { type HealingStep, repairStep } from './step.ts';

const BATCH = 500;
/** Runs looked at in a pass. */
const LOOKED_AT = 5000;
/** From this share of `deadMs` on the leases of a silent worker are watched. */
const SUSPECT_SHARE = 0.5;
/** Lost workers that are remembered. */
const REMEMBERED = 1000;
/** A worker that was heard later than this after its loss has been lost anew. Milliseconds. */
const SAME_LOSS_MS = 1 * SECOND;

export interface LostRunsOptions {
  db: Database;
  /** The Redis that has the leases. */
  leases: RedisConnection;
  definitions: Definitions;
  clock: Clock;
  databaseNow: () => Date | null;
  /** For how long this process' own heartbeats have been getting through. */
  steadyMs: () => number;
  /** A worker that has not sent a heartbeat for so long is dead. Milliseconds. */
  deadMs: number;
  emit: Emit;
  onError: (error: unknown) => void;
  random?: () => number;
}

/**
 * Ends or retries runs that nobody runs. A worker goes on with a run as long as it can prove either that Postgres hears
 * it or that the lease is its own; so a silent one is judged only when its lease is over too.
 */
export function lostRunsStep(options: LostRunsOptions): HealingStep {
  const { db, deadMs } = options;
  const proofs = createLeaseProofs({
    lookUp: (places) => lookUpLeases(options.leases, places),
    leaseMs: deadMs,
    clock: options.clock,
  });
  const losses = createLosses(options.clock);

  // Where Redis does not answer nothing can be said of silent workers, nor could their runs begin anywhere else.
  async function withoutProof(silent: readonly LostRun[]): Promise<LostRun[]> {
    const leased = silent.filter(({ slot }) => slot !== null);
    if (leased.length === 0) return [...silent];
    const over = await proofs.areOver(leased).catch((error) => {
      options.onError(error);
      return leased.map(() => false);
    });
    const proven = new Set(leased.filter((_, index) => !over[index]));
    return silent.filter((run) => !proven.has(run));
  }

  async function lost(limit: number): Promise<LostRun[]> {
    const runs = await lostRuns(db, { silentMs: deadMs * SUSPECT_SHARE, limit: LOOKED_AT });
    const forsaken = runs.filter((run) => run.forsaken);
    const silent = await withoutProof(runs.filter((run) => !run.forsaken));
    // Equivalent mutant (border): a silence is measured by the clock of the server, in fractions of a millisecond.
    return [...forsaken, ...silent.filter(({ silentMs }) => silentMs >= deadMs)].slice(0, limit);
  }

  // When Postgres itself was away nobody could send a heartbeat: workers get the time to be heard again before they are judged.
  async function find(limit: number): Promise<LostRun[]> {
    return options.steadyMs() < deadMs ? [] : await lost(limit);
  }

  async function fix(runs: readonly LostRun[]): Promise<number> {
    // Equivalent mutant (guard removed): without runs it writes and reports nothing, and answers 0.
    if (runs.length === 0) return 0;
    for (const run of runs) run.shared ||= losses.isKnown(run);
    const judged = await Promise.all(runs.map(async (run) => ({ run, verdict: await judge(run) })));
    const results = await finishAndWake(
      db,
      judged.map(({ run, verdict }) => ({
        runId: run.runId,
        scheduledFor: run.scheduledFor,
        seen: { state: 'running', dispatch: run.dispatch, attempt: run.attempt },
        fence: null,
        finishId: randomUUID(),
        verdict,
      })),
    );
    for (const { error } of results) if (error !== undefined) options.onError(error);
    const finished = judged.flatMap(({ run, verdict }, index) => {
      const answer = results[index];
      return answer?.result === 'applied' ? [{ run, verdict: answer.instead ?? verdict }] : [];
    });
    for (const { run } of finished) losses.note(run);
    await Promise.all(finished.map(tell));
    return finished.length;
  }

  // Of each that is not tried again, once: by who finished it. The others are only counted, a dead worker may have had many.
  async function tell({ run, verdict }: { run: LostRun; verdict: Verdict }): Promise<void> {
    if (verdict.to === 'retrying') return;
    const task = await options.definitions.get(run.taskId, run.taskVersion).catch(() => null);
    options.emit(lostEvent(run, verdict, task?.name ?? null));
  }

  async function judge(run: LostRun): Promise<Verdict> {
    const now = options.databaseNow() ?? options.clock.now();
    if (run.cancel) {
      const reason = cancelledReason(run.cancel, 'when its worker vanished');
      return { to: 'cancelled', reason, lost: !run.shared, uncounted: true };
    }
    const tries = { ...run, ...(await policyOf(run, options)) };
    return decide({ ...run, kind: 'lost' }, tries, now, (options.random ?? Math.random)());
  }

  return repairStep({
    kind: 'lost_run',
    among: 'live',
    limit: BATCH,
    find: async () => {
      const runs = await find(BATCH);
      return { fix: () => fix(runs) };
    },
  });
}

/** Losses of which a run has been finished: the last one is not alone only because the others went before it. */
function createLosses(clock: Clock) {
  const lastHeard = createLatest<string, number>(REMEMBERED);
  const heardMs = ({ silentMs }: LostRun) => clock.monotonicMs() - silentMs;
  return {
    note: (run: LostRun) => lastHeard.set(run.worker, heardMs(run)),
    /** A worker that was frozen goes on when it wakes: what it loses later has nothing to do with that. */
    isKnown(run: LostRun): boolean {
      const knownMs = lastHeard.get(run.worker);
      return knownMs !== undefined && heardMs(run) - knownMs < SAME_LOSS_MS;
    },
  };
}

function lostEvent(run: LostRun, { to: state, reason }: Verdict, task: string | null): EngineEvent {
  const { runId, worker, attempt, traceparent, dueAt, startedAt } = run;
  const lost = Math.max(run.before, run.lost) + 1;
  return { event: 'run_lost', run: runId, task, state, reason, worker, attempt, lost, traceparent, dueAt, startedAt };
}

// A definition that this version cannot read must not keep the other runs from being healed.
async function policyOf(run: LostRun, { definitions, onError }: LostRunsOptions): Promise<LossPolicy> {
  try {
    const { definition } = await definitions.get(run.taskId, run.taskVersion);
    return { maxLost: definition.maxLost, retry: definition.retry };
  } catch (error) {
    if (isConnectionError(error)) throw error;
    onError(error);
    return UNREADABLE;
  }
}
