import { randomUUID } from 'node:crypto';
import { type RunState, type WaitBounds, waitBounds } from '@escapement/core';
import { type FinishRequest, isPassingError, type RunSketch, type SeenRun, waitRun, wakeKeys } from '@escapement/store';
import type { ExecuteDeps } from './execute-run.ts';
import { persist } from './persist.ts';

/** `changed`: the row was not as it had been seen, so what was to be done with it has to be judged anew. */
export type Way = 'done' | 'changed';

type BusyKeyDeps = Pick<ExecuteDeps, 'db' | 'definitions' | 'finishes' | 'waits' | 'wake' | 'mayPersist' | 'emit'>;

/**
 * What a run does that found its key busy, by its policy: it joins the wait queue, or is skipped naming the run in its way. A
 * later attempt is never skipped, it waits for as long as it takes.
 */
export async function handleBusyKey(run: RunSketch, dispatch: number, deps: BusyKeyDeps): Promise<Way> {
  // A scheduler judges it, and queues it anew if it is to run.
  if (run.misfired) return 'done';
  const bounds = run.attempt > 0 || run.inBatch ? {} : await boundsOf(run, deps);
  const { runId, scheduledFor, key } = run;
  const request = { ...bounds, runId, scheduledFor, seen: run, dispatch };
  // One that replaces locks other runs of its key too, which members of a batch must not do one after the other.
  const wait = () => (run.overlap === 'replace' ? waitRun(deps.db, request) : deps.waits.submit(request));
  const answer = await persist(wait, deps.mayPersist);
  switch (answer.kind) {
    case 'waiting':
      deps.emit({ event: 'run_waiting', run: runId, task: await taskOf(run, deps), key, blockedBy: answer.holder });
      return 'done';
    case 'skipped':
      await tellNotStarted(run, 'skipped', answer.reason, deps);
      return 'done';
    case 'free':
    case 'stale':
      return 'changed';
  }
}

async function tellNotStarted(run: RunSketch, state: RunState, reason: string, deps: BusyKeyDeps): Promise<void> {
  const { runId, key } = run;
  deps.emit({ event: 'run_not_started', run: runId, task: await taskOf(run, deps), key, state, reason });
}

/** The name of the run's task, for the log; null: its definition cannot be read, which must not be the run's problem. */
async function taskOf({ taskId, taskVersion }: RunSketch, { definitions }: BusyKeyDeps): Promise<string | null> {
  return await definitions.get(taskId, taskVersion).then(
    ({ name }) => name,
    () => null,
  );
}

/** A definition that this version cannot read leaves the policy's defaults: the row names the policy. */
async function boundsOf(run: RunSketch, deps: BusyKeyDeps): Promise<WaitBounds> {
  try {
    const task = await persist(() => deps.definitions.get(run.taskId, run.taskVersion), deps.mayPersist);
    return waitBounds(run.overlap, task.definition.overlap);
  } catch (error) {
    if (isPassingError(error)) throw error;
    return waitBounds(run.overlap);
  }
}

/** Ends a run that must not begin. */
export async function refuse(
  run: RunSketch,
  seen: SeenRun,
  end: { to: RunState; reason: string; blockedBy?: string },
  deps: BusyKeyDeps,
): Promise<Way> {
  const finishRequest: FinishRequest = {
    runId: run.runId,
    scheduledFor: run.scheduledFor,
    seen,
    fence: null,
    finishId: randomUUID(),
    verdict: { to: end.to, reason: end.reason, lost: false, spared: false },
    ...(end.blockedBy === undefined ? {} : { blockedBy: end.blockedBy }),
  };
  const { result, woken } = await persist(() => deps.finishes.submit(finishRequest), deps.mayPersist);
  if (result === 'stale') return 'changed';
  if (result === 'applied') await tellNotStarted(run, end.to, end.reason, deps);
  await deps.wake(woken);
  return 'done';
}

/**
 * Under `wait-all` none begins before the one ahead of it has: with more than one slot the next may follow now. Should
 * this fail the reconciler finds it.
 */
export function wakeBehind({ overlap, keyLimit, key }: RunSketch, deps: BusyKeyDeps): void {
  if (overlap !== 'wait-all' || keyLimit === 1) return;
  wakeKeys(deps.db, [key])
    .then(deps.wake)
    .catch(() => undefined);
}
