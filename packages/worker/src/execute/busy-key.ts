import { randomUUID } from 'node:crypto';
import { type Emit, OVERLAP_RULES, type RunState, type WaitBounds, waitBounds } from '@escapement/core';
import type { Enqueue } from '@escapement/operations';
import { type FinishRequest, isPassingError, type RunSketch, type SeenRun, type WaitResult } from '@escapement/store';
import type { Execution, Outcome } from './execution.ts';
import type { RateWatch } from './rate-watch.ts';
import type { RunLedger } from './run-ledger.ts';

type WaitsFor = Extract<WaitResult, { kind: 'waiting' }>;

export interface BusyKeyParts {
  ledger: Pick<RunLedger, 'wait' | 'wakeNext' | 'finish' | 'definition'>;
  /** Has runs begin that waited for their key: here, or else before what stands in the queue, as they came before it. */
  wake: Enqueue;
  /** Told that a run waits for a token of a rate. */
  rates: Pick<RateWatch, 'watch'>;
  emit: Emit;
}

/** What becomes of a run that may not begin now. */
export interface BusyKey {
  /**
   * Its key is busy: by its policy it joins the wait queue, or is skipped naming the run in its way. A later attempt is
   * never skipped, it waits for as long as it takes.
   */
  wait(execution: Execution): Promise<Outcome>;
  /** Ends a run that must not begin. */
  refuse(run: RunSketch, seen: SeenRun, end: Refusal): Promise<Outcome>;
  /**
   * Under `wait-all` none begins before the one ahead of it has: with more than one slot the next may follow now. Should
   * this fail the reconciler finds it.
   */
  wakeBehind(run: RunSketch): void;
}

export interface Refusal {
  to: RunState;
  reason: string;
  /** The run that takes its place. */
  blockedBy?: string;
}

export function createBusyKey(parts: BusyKeyParts): BusyKey {
  return {
    wait: (execution) => wait(execution, parts),
    refuse: (run, seen, end) => refuse(run, seen, end, parts),
    wakeBehind: (run) => wakeBehind(run, parts),
  };
}

async function wait({ run, dispatch }: Execution, parts: BusyKeyParts): Promise<Outcome> {
  // A scheduler judges it, and queues it anew if it is to run.
  if (run.misfired) return 'done';
  const bounds = run.attempt > 0 || run.inBatch ? {} : await boundsOf(run, parts);
  const { runId, scheduledFor } = run;
  const answer = await parts.ledger.wait({ ...bounds, runId, scheduledFor, seen: run, dispatch }, run.overlap);
  switch (answer.kind) {
    case 'waiting':
      await tellWaiting(run, answer, parts);
      return 'done';
    case 'skipped':
      await tellNotStarted(run, 'skipped', answer.reason, parts);
      return 'done';
    case 'refused':
      return await refuse(run, answer.end.seen, { ...answer.end, to: answer.end.state }, parts);
    case 'free':
    case 'stale':
      return 'changed';
  }
}

async function tellWaiting(run: RunSketch, answer: WaitsFor, parts: BusyKeyParts): Promise<void> {
  const { runId, key } = run;
  if (answer.reason !== undefined) parts.rates.watch();
  const reason = answer.reason === undefined ? {} : { reason: answer.reason };
  const task = await taskOf(run, parts);
  parts.emit({ event: 'run_waiting', run: runId, task, key, blockedBy: answer.holder, ...reason });
}

async function tellNotStarted(run: RunSketch, state: RunState, reason: string, parts: BusyKeyParts): Promise<void> {
  const { runId, key } = run;
  parts.emit({ event: 'run_not_started', run: runId, task: await taskOf(run, parts), key, state, reason });
}

/** The name of the run's task, for the log; null: its definition cannot be read, which must not be the run's problem. */
async function taskOf({ taskId, taskVersion }: RunSketch, { ledger }: BusyKeyParts): Promise<string | null> {
  return await ledger.definition(taskId, taskVersion).then(
    ({ name }) => name,
    () => null,
  );
}

/** A definition that this version cannot read leaves the policy's defaults: the row names the policy. */
async function boundsOf(run: RunSketch, parts: BusyKeyParts): Promise<WaitBounds> {
  try {
    const task = await parts.ledger.definition(run.taskId, run.taskVersion);
    return waitBounds(run.overlap, task.definition.overlap);
  } catch (error) {
    if (isPassingError(error)) throw error;
    return waitBounds(run.overlap);
  }
}

async function refuse(run: RunSketch, seen: SeenRun, end: Refusal, parts: BusyKeyParts): Promise<Outcome> {
  const request: FinishRequest = {
    runId: run.runId,
    scheduledFor: run.scheduledFor,
    seen,
    fence: null,
    finishId: randomUUID(),
    verdict: { to: end.to, reason: end.reason, lost: false, uncounted: false },
    ...(end.blockedBy === undefined ? {} : { blockedBy: end.blockedBy }),
  };
  const { result, woken } = await parts.ledger.finish(request);
  if (result === 'stale') return 'changed';
  if (result === 'applied') await tellNotStarted(run, end.to, end.reason, parts);
  await parts.wake(woken);
  return 'done';
}

function wakeBehind({ overlap, keyLimit, key }: RunSketch, { ledger, wake }: BusyKeyParts): void {
  if (OVERLAP_RULES[overlap].ordering !== 'oldest-first' || keyLimit === 1) return;
  ledger
    .wakeNext(key)
    .then(wake)
    .catch(() => undefined);
}
