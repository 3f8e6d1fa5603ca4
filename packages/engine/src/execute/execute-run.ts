import { randomUUID } from 'node:crypto';
import {
  type AttemptEnd,
  type Clock,
  decide,
  type HandlerLookup,
  type RunState,
  scheduledForOf,
  type Verdict,
} from '@escapement/core';
import type { Lease, LeaseKeeper, RunRef } from '@escapement/queue';
import {
  type BeginRequest,
  type BeginResult,
  type BegunRun,
  type Database,
  type GroupCommit,
  isPassingError,
  type RunSketch,
  type SeenRun,
  type Settlement,
  type SettleResult,
  type TaskVersion,
} from '@escapement/store';
import { type Definitions, UNREADABLE } from '../definitions.ts';
import type { Emit } from '../events.ts';
import { callHandler } from './call-handler.ts';
import type { HeldRuns } from './held-runs.ts';
import { persist } from './persist.ts';
import type { ProgressWriter } from './progress-writer.ts';
import { ABORT_BOUND_MS } from './run-handler.ts';
import type { RunLogWriter } from './run-log-writer.ts';
import { type Slots, slotsOf, takeLease } from './take-lease.ts';

/** A run due no later than this is waited for; one due later goes back to the queue by way of the reconciler. */
const MAX_EARLY_MS = 2000;
/** Times a begin that lost a race is asked again. */
const MAX_BEGINS = 5;

export interface ExecuteDeps {
  db: Database;
  leases: LeaseKeeper;
  handlers: HandlerLookup;
  definitions: Definitions;
  lookUps: GroupCommit<{ runId: string; scheduledFor: Date }, { run: RunSketch | null }>;
  begins: GroupCommit<BeginRequest, BeginResult>;
  settles: GroupCommit<Settlement, SettleResult>;
  held: HeldRuns;
  logs: RunLogWriter;
  progress: ProgressWriter;
  workerId: string;
  clock: Clock;
  emit: Emit;
  /** False once the process must come to its end: no more patience with a Postgres that is away. */
  mayPersist: () => boolean;
  random?: () => number;
}

/** `changed`: the row was not as it had been seen, so what was to be done with it has to be judged anew. */
type Way = 'done' | 'changed';

/** Takes one run through its steps: look up, lease, begin, handler, finish, release. */
export async function executeRun(ref: RunRef, deps: ExecuteDeps): Promise<void> {
  for (let tries = 0; tries < MAX_BEGINS; tries++) if ((await tryRun(ref, deps)) === 'done') return;
}

async function tryRun(ref: RunRef, deps: ExecuteDeps): Promise<Way> {
  // A job delivered twice to the same process: who came first goes on with it. From here on the beats list the run, so
  // that the reconciler knows in whose hands its job is.
  if (!deps.held.claim(ref.runId)) return 'done';
  try {
    const run = await lookUp(ref, deps);
    if (!run) return 'done';
    const step = await takeLease(run, ref.dispatch, deps);
    if (step.kind === 'busy') return await yieldTo(step.holder, run, deps);
    if (step.kind === 'undecided') return 'done';
    return await underLease(run, ref.dispatch, step.lease, deps);
  } finally {
    deps.held.release(ref.runId);
  }
}

async function underLease(run: RunSketch, dispatch: number, lease: Lease | null, deps: ExecuteDeps): Promise<Way> {
  const slots = slotsOf(run, dispatch, lease, deps);
  deps.held.proveBy(run.runId, (ms) => slots.lease?.isValidFor(ms) ?? false);
  try {
    const begun = await beginOnFreeSlot(run, dispatch, slots, deps);
    if (typeof begun === 'string') return begun;
    await execute(begun, slots.lease, deps);
    return 'done';
  } finally {
    await slots.lease?.release();
  }
}

/**
 * Begins the run on a slot that is free in the ledger too: a run between its attempts keeps its slot there, but has no
 * lease. The key is busy only when all its slots are.
 */
async function beginOnFreeSlot(
  run: RunSketch,
  dispatch: number,
  slots: Slots,
  deps: ExecuteDeps,
): Promise<BegunRun | Way> {
  for (;;) {
    const begun = await begin(run, dispatch, slots.lease, deps);
    if (typeof begun === 'string') return begun;
    if (begun.kind === 'begun') return begun.run;
    if (!(await slots.moveOn())) return await yieldTo(begun.holder, run, deps);
  }
}

/** The run as the ledger has it, if this job is still the one that may begin it. */
async function lookUp(ref: RunRef, deps: ExecuteDeps): Promise<RunSketch | undefined> {
  const { run } = await persist(
    () => deps.lookUps.submit({ runId: ref.runId, scheduledFor: scheduledForOf(ref.runId) }),
    deps.mayPersist,
  );
  if (!run) return undefined;
  const queued = run.state === 'queued' && run.dispatch === ref.dispatch;
  const unmarked = (run.state === 'planned' || run.state === 'retrying') && run.dispatch === ref.dispatch - 1;
  return queued || unmarked ? run : undefined;
}

/** Begins the run in the ledger. */
async function begin(
  run: RunSketch,
  dispatch: number,
  lease: Lease | null,
  deps: ExecuteDeps,
): Promise<Extract<BeginResult, { kind: 'begun' | 'busy' }> | Way> {
  const request: BeginRequest = {
    runId: run.runId,
    scheduledFor: run.scheduledFor,
    dispatch,
    beginId: randomUUID(),
    key: run.key,
    slot: lease?.slot ?? null,
    worker: deps.workerId,
  };
  for (let tries = 0; tries < MAX_BEGINS; tries++) {
    const result = await persist(() => deps.begins.submit(request), deps.mayPersist);
    switch (result.kind) {
      case 'begun':
      case 'busy':
        return result;
      case 'stale':
      // A scheduler judges it, and queues it anew if it is to run.
      case 'misfire':
        return 'done';
      case 'ended':
        return await refuse(run, result.seen, { to: result.state, reason: result.reason }, deps);
      case 'early':
        if (result.remainingMs > MAX_EARLY_MS) return 'done';
        await new Promise((resolve) => setTimeout(resolve, result.remainingMs + 1));
    }
  }
  return 'done';
}

/** The key is busy: a first attempt is skipped, naming the run in its way; a later one keeps its place and waits. */
async function yieldTo(holder: string, run: RunSketch, deps: ExecuteDeps): Promise<Way> {
  if (run.attempt > 0 || run.misfired) return 'done';
  const reason = `the key "${run.key}" was held by run ${holder}`;
  return await refuse(run, run, { to: 'skipped', reason, blockedBy: holder }, deps);
}

async function refuse(
  run: RunSketch,
  seen: SeenRun,
  end: { to: RunState; reason: string; blockedBy?: string },
  deps: ExecuteDeps,
): Promise<Way> {
  const settlement: Settlement = {
    runId: run.runId,
    scheduledFor: run.scheduledFor,
    seen,
    fence: null,
    settleId: randomUUID(),
    verdict: { to: end.to, reason: end.reason, lost: false, spared: false },
    ...(end.blockedBy === undefined ? {} : { blockedBy: end.blockedBy }),
  };
  const result = await persist(() => deps.settles.submit(settlement), deps.mayPersist);
  if (result === 'stale') return 'changed';
  if (result === 'applied')
    deps.emit({ event: 'run_not_started', run: run.runId, key: run.key, state: end.to, reason: end.reason });
  return 'done';
}

/** Handler and finish. */
async function execute(run: BegunRun, lease: Lease | null, deps: ExecuteDeps): Promise<void> {
  const task = await readDefinition(run, deps);
  if (!task) return;
  // A hung process gives its key back: by then the handler has ended, or is left to itself.
  lease?.limitHold(task.definition.timeoutMs + ABORT_BOUND_MS);
  await executeAs(task, run, deps);
}

/** The definition a run was made from. Undefined: this worker cannot read it, and has given the run back. */
async function readDefinition(run: BegunRun, deps: ExecuteDeps): Promise<TaskVersion | undefined> {
  try {
    return await persist(() => deps.definitions.get(run.taskId, run.taskVersion), deps.mayPersist);
  } catch (thrown) {
    if (isPassingError(thrown)) throw thrown;
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    const end: AttemptEnd = { kind: 'unreadable', worker: deps.workerId, problem };
    const verdict = decide(end, { ...run, ...UNREADABLE, delivery: 'at-least-once' }, deps.clock.now(), 0);
    await finish(run, { name: run.taskId }, verdict, deps);
    const error = new Error(`definition of its task cannot be read: ${problem}`);
    deps.emit({ event: 'begin_failed', run: run.runId, error });
    return undefined;
  }
}

async function executeAs(task: TaskVersion, run: BegunRun, deps: ExecuteDeps): Promise<void> {
  const latenessMs = run.startedAt.getTime() - run.dueAt.getTime();
  deps.emit({ event: 'run_started', run: run.runId, task: task.name, attempt: run.attempt, latenessMs });
  const startedMs = deps.clock.monotonicMs();
  const log = deps.logs.open(run.runId, run.attempt);
  const end = await callHandler(run, task, log, deps);
  deps.progress.forget(run.runId);
  await log.close();
  const verdict = decide(end, triesOf(run, task), deps.clock.now(), (deps.random ?? Math.random)());
  const durationMs = Math.round(deps.clock.monotonicMs() - startedMs);
  if (await finish(run, task, verdict, deps))
    deps.emit({
      event: 'run_settled',
      run: run.runId,
      task: task.name,
      state: verdict.to,
      reason: verdict.reason,
      attempt: run.attempt,
      durationMs,
      latenessMs,
    });
}

function triesOf(run: BegunRun, { definition }: TaskVersion) {
  return {
    attempt: run.attempt,
    spared: run.spared,
    lost: run.lost,
    maxLost: definition.maxLost,
    retry: definition.retry,
    delivery: definition.delivery,
  };
}

/** Writes the verdict under the slot's fence. False: it was refused or could not be written. */
async function finish(
  run: BegunRun,
  task: { name: string; definition?: TaskVersion['definition'] },
  verdict: Verdict,
  deps: ExecuteDeps,
): Promise<boolean> {
  const named = { run: run.runId, task: task.name, attempt: run.attempt };
  const settlement: Settlement = {
    runId: run.runId,
    scheduledFor: run.scheduledFor,
    seen: { state: 'running', dispatch: run.dispatch, attempt: run.attempt },
    fence: run.fence,
    settleId: randomUUID(),
    verdict,
    ...(task.definition ? { countsFromEnd: task.definition.schedule.kind === 'fixed-delay' } : {}),
  };
  try {
    const result = await persist(() => deps.settles.submit(settlement), deps.mayPersist);
    if (result === 'stale') deps.emit({ event: 'finish_refused', ...named });
    return result !== 'stale';
  } catch (thrown) {
    // The run stays `running` in no beat: the reconciler ends or retries it.
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    deps.emit({ event: 'finish_failed', ...named, error });
    return false;
  }
}
