import type { AttemptEnd, Clock, HandlerLookup, HandlerOutcome, Json } from '@escapement/core';
import type { BegunRun, TaskVersion } from '@escapement/store';
import type { Emit } from '../events.ts';
import type { HeldRuns } from './held-runs.ts';
import type { ProgressWriter } from './progress-writer.ts';
import { runHandler } from './run-handler.ts';
import type { OpenRunLog } from './run-log-writer.ts';

export interface HandlerDeps {
  handlers: HandlerLookup;
  held: HeldRuns;
  progress: ProgressWriter;
  clock: Clock;
  emit: Emit;
}

/** Calls the handler of a run that has begun, with all it may know and do. */
export async function callHandler(
  run: BegunRun,
  task: TaskVersion,
  log: OpenRunLog,
  deps: HandlerDeps,
): Promise<AttemptEnd> {
  const spec = task.definition.handler;
  const handler = deps.handlers(spec);
  if (!handler)
    return { kind: 'returned', outcome: noHandler(spec.type === 'code' ? `code "${spec.name}"` : spec.type) };
  return await runHandler({
    handler,
    context: {
      spec,
      run: {
        id: run.runId,
        namespace: run.namespace,
        taskName: task.name,
        origin: run.origin,
        scheduledFor: run.scheduledFor,
        startedAt: run.startedAt,
        attempt: run.attempt,
        key: run.key,
        fence: run.fence,
      },
      payload: run.payload ?? (task.definition.payload as Json | undefined),
      log,
    },
    timeoutMs: task.definition.timeoutMs,
    heartbeatTimeoutMs: task.definition.heartbeatTimeoutMs,
    onProgress: (progress) => deps.progress.report(run, progress),
    onAbortable: (abort) => deps.held.onAbort(run.runId, abort),
    cancelRequest: () => deps.held.cancelRequest(run.runId),
    onAbandoned: (waitedMs) => deps.emit({ event: 'handler_abandoned', run: run.runId, task: task.name, waitedMs }),
    now: () => deps.clock.now(),
  });
}

function noHandler(what: string): HandlerOutcome {
  const message = `this worker has no handler for ${what}; give the task a pool whose workers have it`;
  return { status: 'failed', error: { name: 'UnknownHandler', message } };
}
