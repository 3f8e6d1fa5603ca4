import { randomUUID } from 'node:crypto';
import {
  ABORT_BOUND_MS,
  type AttemptEnd,
  type Clock,
  decide,
  type Emit,
  type HandlerLookup,
  isTerminal,
  scheduledForOf,
  type Verdict,
} from '@escapement/core';
import type { Lease, LeaseKeeper, RunRef } from '@escapement/queue';
import {
  type BeginRequest,
  type BeginResult,
  type BegunRun,
  type Database,
  type Definitions,
  type DispatchableRun,
  type Finished,
  type FinishRequest,
  type GroupCommit,
  isPassingError,
  type RunSketch,
  type TaskVersion,
  UNREADABLE,
  type WaitRequest,
  type WaitResult,
  type WokenRun,
} from '@escapement/store';
import type { BatchWatch } from '../batches/batch-watch.ts';
import type { Calls } from '../calls/calls.ts';
import type { OwnFollowers } from '../own-followers.ts';
import type { ActiveRuns } from './active-runs.ts';
import { handleBusyKey, refuse, type Way, wakeBehind } from './busy-key.ts';
import { callHandler, latenessOf } from './call-handler.ts';
import { persist } from './persist.ts';
import type { ProgressWriter } from './progress-writer.ts';
import type { RunLogWriter } from './run-log-writer.ts';
import { type Slots, slotsOf, takeLease } from './take-lease.ts';

/** A run due no later than this is waited for; one due later goes back to the queue by way of the reconciler. */
const MAX_EARLY_MS = 2000;
/** So long before it is due a run is looked up, in milliseconds: what is left to be done then is to ask for its lease and to begin it. */
export const PREPARE_MS = 12;
/** Times a begin that lost a race is asked again. */
const MAX_BEGINS = 5;

export interface ExecuteDeps {
  db: Database;
  leases: LeaseKeeper;
  handlers: HandlerLookup;
  calls: Calls;
  batches: BatchWatch;
  /** Called when the run only waits: its place is for another. */
  releaseConcurrencySlot?: () => void;
  definitions: Definitions;
  lookUps: GroupCommit<{ runId: string; scheduledFor: Date }, { run: RunSketch | null }>;
  begins: GroupCommit<BeginRequest, BeginResult>;
  finishes: GroupCommit<FinishRequest, Finished>;
  waits: GroupCommit<WaitRequest, WaitResult>;
  /** Adds the jobs of runs. Never rejects: what the queue does not take the reconciler adds. */
  enqueue: (runs: readonly DispatchableRun[]) => Promise<void>;
  /** The same for runs that waited for their key: they go before what stands in the queue, as they came before it. */
  wake: (runs: readonly DispatchableRun[]) => Promise<void>;
  followers: OwnFollowers;
  active: ActiveRuns;
  logs: RunLogWriter;
  progress: ProgressWriter;
  workerId: string;
  clock: Clock;
  emit: Emit;
  /** False once the process must come to its end: no more patience with a Postgres that is away. */
  mayPersist: () => boolean;
  random?: () => number;
}

/** Takes one run through its steps: look up (unless just `seen`), lease, begin, handler, finish, release. */
export async function executeRun(ref: RunRef, deps: ExecuteDeps, seen?: RunSketch): Promise<void> {
  for (let tries = 0; tries < MAX_BEGINS; tries++)
    if ((await tryRun(ref, deps, tries === 0 ? seen : undefined)) === 'done') return;
}

async function tryRun(ref: RunRef, deps: ExecuteDeps, seen: RunSketch | undefined): Promise<Way> {
  // From here on the heartbeats list the run, so that the reconciler knows in whose hands its job is.
  const claim = deps.active.claim(ref.runId, ref.dispatch);
  // A job delivered twice to the same process: who came first goes on with it.
  if (claim === 'twice') return 'done';
  if (claim === 'earlier') {
    await deps.active.released(ref.runId);
    return 'changed';
  }
  try {
    const run = seen ?? (await lookUp(ref, deps));
    if (!run) return 'done';
    // Not one of those that ask for a lease: the one that may begin would have to get it before all of them.
    if (run.behind) return await handleBusyKey(run, ref.dispatch, deps);
    const step = await takeLease(run, ref.dispatch, deps);
    if (step.kind === 'busy') return await handleBusyKey(run, ref.dispatch, deps);
    if (step.kind === 'undecided') return 'done';
    return await underLease(run, ref.dispatch, step.lease, deps);
  } finally {
    deps.active.release(ref.runId);
  }
}

async function underLease(run: RunSketch, dispatch: number, lease: Lease | null, deps: ExecuteDeps): Promise<Way> {
  const slots = slotsOf(run, dispatch, lease, deps);
  deps.active.proveBy(run.runId, (ms) => slots.lease?.isValidFor(ms) ?? false);
  try {
    const begun = await beginOnFreeSlot(run, dispatch, slots, deps);
    if (typeof begun === 'string') return begun;
    const woken = await execute(begun, slots.lease, deps);
    if (woken.length > 0) await handOver(woken, slots, deps);
    return 'done';
  } finally {
    await slots.lease?.release();
  }
}

/** The lease goes to the next in the wait queue, and its job into the queue: both at once, since a Redis may be slow to answer. */
async function handOver(woken: readonly WokenRun[], slots: Slots, deps: ExecuteDeps): Promise<void> {
  const next = woken.find(({ key, slot }) => key === slots.lease?.key && slot === slots.lease.slot);
  await Promise.all([slots.lease?.release(next?.id), deps.wake(woken)]);
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
    if (begun.kind === 'begun') {
      wakeBehind(run, deps);
      return begun.run;
    }
    if (begun.anySlot || !(await slots.moveOn())) return await handleBusyKey(run, dispatch, deps);
  }
}

/**
 * The run as the ledger has it, if this job is still the one that may begin it, and once it is due: who is in its way is
 * asked then, not when its job came. It comes early where a clock is off, or a job was delivered twice.
 */
async function lookUp(ref: RunRef, deps: ExecuteDeps): Promise<RunSketch | undefined> {
  const { run } = await persist(
    () => deps.lookUps.submit({ runId: ref.runId, scheduledFor: scheduledForOf(ref.runId) }),
    deps.mayPersist,
  );
  // A scheduler judges a misfired one, and queues it anew if it is to run.
  if (!run || run.misfired || run.earlyMs > MAX_EARLY_MS) return undefined;
  if (!(await untilDue(run))) return await lookUp(ref, deps);
  const queued = run.state === 'queued' && run.dispatch === ref.dispatch;
  const unmarked = (run.state === 'planned' || run.state === 'retrying') && run.dispatch === ref.dispatch - 1;
  return queued || unmarked ? run : undefined;
}

/**
 * Waits until the run is due. False: what was read of it is too old by then. Of one that was read shortly before, the begin
 * asks all that matters, but for its turn in the order of its key.
 */
export async function untilDue({ earlyMs, overlap }: RunSketch): Promise<boolean> {
  if (earlyMs === 0) return true;
  await new Promise((resolve) => setTimeout(resolve, Math.min(earlyMs, MAX_EARLY_MS)));
  return earlyMs <= PREPARE_MS && overlap !== 'wait-all';
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
        return await refuse(run, result.seen, { ...result, to: result.state }, deps);
      case 'early':
        if (result.remainingMs > MAX_EARLY_MS) return 'done';
        await new Promise((resolve) => setTimeout(resolve, result.remainingMs + 1));
    }
  }
  return 'done';
}

/** Handler and finish. Returns the runs that waited for this one. */
async function execute(run: BegunRun, lease: Lease | null, deps: ExecuteDeps): Promise<WokenRun[]> {
  const task = await readDefinition(run, deps);
  if ('woken' in task) return task.woken;
  // A hung process gives its key back: by then the handler has ended, or is left to itself.
  lease?.limitHold(task.definition.timeoutMs + ABORT_BOUND_MS);
  return await executeAs(task, run, deps);
}

/** The definition a run was made from; `woken`: this worker cannot read it, and has given the run back. */
async function readDefinition(run: BegunRun, deps: ExecuteDeps): Promise<TaskVersion | { woken: WokenRun[] }> {
  try {
    return await persist(() => deps.definitions.get(run.taskId, run.taskVersion), deps.mayPersist);
  } catch (thrown) {
    if (isPassingError(thrown)) throw thrown;
    const problem = thrown instanceof Error ? thrown.message : String(thrown);
    const end: AttemptEnd = { kind: 'unreadable', worker: deps.workerId, problem };
    const verdict = decide(end, { ...run, ...UNREADABLE, delivery: 'at-least-once' }, deps.clock.now(), 0);
    const finished = await finish(run, { name: run.taskId }, verdict, deps);
    const error = new Error(`definition of its task cannot be read: ${problem}`);
    deps.emit({ event: 'begin_failed', run: run.runId, error });
    return { woken: finished?.woken ?? [] };
  }
}

async function executeAs(task: TaskVersion, run: BegunRun, deps: ExecuteDeps): Promise<WokenRun[]> {
  const latenessMs = latenessOf(run);
  deps.emit({ event: 'run_started', run: run.runId, task: task.name, attempt: run.attempt, latenessMs });
  deps.followers.began(run, task);
  const startedMs = deps.clock.monotonicMs();
  const log = deps.logs.open(run.runId, run.attempt);
  const end = await deps.followers.check(await callHandler(run, task, log, deps), run);
  deps.progress.forget(run.runId);
  await log.close();
  const durationMs = Math.round(deps.clock.monotonicMs() - startedMs);
  const { verdict, finished } = await decideAndFinish(end, run, task, deps);
  if (finished && run.batchId !== null && isTerminal(verdict.to)) deps.batches.advance(run.batchId);
  if (finished) {
    deps.followers.ended(run, task, verdict);
    deps.emit({
      event: 'run_finished',
      run: run.runId,
      task: task.name,
      state: verdict.to,
      reason: verdict.reason,
      attempt: run.attempt,
      durationMs,
      latenessMs,
    });
  }
  return finished?.woken ?? [];
}

/** A run whose state somebody else has changed meanwhile fails: what it did counts on what was there before. */
async function decideAndFinish(end: AttemptEnd, run: BegunRun, task: TaskVersion, deps: ExecuteDeps) {
  const random = (deps.random ?? Math.random)();
  const verdict = decide(end, triesOf(run, task), deps.clock.now(), random);
  const finished = await finish(run, task, verdict, deps);
  if (finished?.result !== 'conflict') return { verdict, finished };
  const instead = decide(STATE_CHANGED, triesOf(run, task), deps.clock.now(), random);
  return { verdict: instead, finished: await finish(run, task, instead, deps) };
}

const STATE_CHANGED: AttemptEnd = {
  kind: 'returned',
  outcome: {
    status: 'failed',
    error: {
      name: 'StateConflict',
      message: "the task's state was changed while it ran; see `escapement tasks state show` for who did",
    },
  },
};

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

/** Writes the verdict under the slot's fence. Undefined: it was refused or could not be written. */
async function finish(
  run: BegunRun,
  task: { name: string; definition?: TaskVersion['definition'] },
  verdict: Verdict,
  deps: ExecuteDeps,
): Promise<Finished | undefined> {
  const named = { run: run.runId, task: task.name, attempt: run.attempt };
  const finishRequest: FinishRequest = {
    runId: run.runId,
    scheduledFor: run.scheduledFor,
    seen: { state: 'running', dispatch: run.dispatch, attempt: run.attempt },
    fence: run.fence,
    finishId: randomUUID(),
    verdict,
    ...(task.definition ? { countsFromEnd: task.definition.schedule.kind === 'fixed-delay' } : {}),
  };
  try {
    const finished = await persist(() => deps.finishes.submit(finishRequest), deps.mayPersist);
    if (finished.result !== 'stale') return finished;
    deps.emit({ event: 'finish_refused', ...named });
    return undefined;
  } catch (thrown) {
    // The run stays `running` in no heartbeat: the reconciler ends or retries it.
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    deps.emit({ event: 'finish_failed', ...named, error });
    return undefined;
  }
}
