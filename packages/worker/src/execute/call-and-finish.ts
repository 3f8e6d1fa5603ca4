import { ABORT_BOUND_MS, type AttemptEnd, decide, isTerminal } from '@escapement/core';
import type { Lease } from '@escapement/queue';
import { type BegunRun, isPassingError, type TaskVersion, UNREADABLE, type WokenRun } from '@escapement/store';
import { callHandler, latenessOf } from './call-handler.ts';
import type { ExecuteDeps } from './execute-deps.ts';
import { decideAndFinish, finish } from './finish.ts';
import { persist } from './persist.ts';

/** Handler and finish. Returns the runs that waited for this one. */
export async function callAndFinish(run: BegunRun, lease: Lease | null, deps: ExecuteDeps): Promise<WokenRun[]> {
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
