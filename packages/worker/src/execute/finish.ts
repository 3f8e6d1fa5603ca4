import { randomUUID } from 'node:crypto';
import { type AttemptEnd, decide, type Verdict } from '@escapement/core';
import type { BegunRun, Finished, FinishRequest, TaskVersion } from '@escapement/store';
import type { ExecuteDeps } from './execute-deps.ts';
import { persist } from './persist.ts';

/** A run whose state somebody else has changed meanwhile fails: what it did counts on what was there before. */
export async function decideAndFinish(end: AttemptEnd, run: BegunRun, task: TaskVersion, deps: ExecuteDeps) {
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
export async function finish(
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
