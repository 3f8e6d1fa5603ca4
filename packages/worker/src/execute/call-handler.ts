import {
  type AttemptEnd,
  type Clock,
  type Emit,
  type HandlerLookup,
  type HandlerOutcome,
  type HandlerSpec,
  handlerFacts,
  type Json,
} from '@escapement/core';
import type { Tracing } from '@escapement/core/traces';
import type { BegunRun, TaskVersion } from '@escapement/store';
import type { Calls } from '../calls/calls.ts';
import type { ActiveRuns } from './active-runs.ts';
import type { Execution } from './execution.ts';
import { nextOccurrence } from './next-occurrence.ts';
import type { ProgressWriter } from './progress-writer.ts';
import { runHandler } from './run-handler.ts';
import type { RunLedger } from './run-ledger.ts';
import type { OpenRunLog } from './run-log-writer.ts';

export interface HandlerParts {
  handlers: HandlerLookup;
  ledger: Pick<RunLedger, 'definition' | 'taskState' | 'codeIsElsewhere'>;
  /** Answers what handlers ask for. */
  calls: Calls;
  active: ActiveRuns;
  progress: ProgressWriter;
  tracing: Pick<Tracing, 'inHandler'>;
  workerId: string;
  clock: Clock;
  emit: Emit;
}

/** What is called for. */
export interface Attempt extends Pick<Execution, 'releasePlace'> {
  run: BegunRun;
  task: TaskVersion;
  log: OpenRunLog;
  /** Told whether the handler only waits for what it needs to begin. */
  onPreparing: (prepares: boolean) => void;
}

/** Calls the handler of a run that has begun, with all it may know and do. */
export async function callHandler(attempt: Attempt, parts: HandlerParts): Promise<AttemptEnd> {
  const { run, task, log, releasePlace, onPreparing } = attempt;
  const spec = task.definition.handler;
  const handler = parts.handlers(spec);
  if (!handler) return await withoutHandler(spec, task, parts);
  return await runHandler({
    handler,
    context: {
      spec,
      run: {
        id: run.runId,
        namespace: run.namespace,
        taskName: task.name,
        pool: task.definition.pool,
        origin: run.origin,
        requestedBy: run.requestedBy,
        causeRunId: run.causeRunId,
        traceparent: parts.tracing.inHandler({ id: run.runId, traceparent: run.traceparent }, run.attempt),
        scheduledFor: run.scheduledFor,
        startedAt: run.startedAt,
        latenessMs: begunAfterMs(run),
        nextAt: nextOccurrence(task, run.startedAt),
        timeoutMs: task.definition.timeoutMs,
        attempt: run.attempt,
        key: run.key,
        fence: run.fence,
      },
      payload: run.payload ?? (task.definition.payload as Json | undefined),
      ...(task.definition.state ? { state: await parts.ledger.taskState(run.taskId, run.key) } : {}),
      log,
    },
    ask: (call, asking) => parts.calls.answer(call, { ...asking, run, releasePlace }),
    timeoutMs: task.definition.timeoutMs,
    heartbeatTimeoutMs: task.definition.heartbeatTimeoutMs,
    onProgress: (progress) => parts.progress.report(run, progress),
    onAbortable: (abort) => parts.active.onAbort(run.runId, abort),
    cancelRequest: () => parts.active.cancelRequest(run.runId),
    onPreparing,
    onAbandoned: (waitedMs) => parts.emit({ event: 'handler_abandoned', run: run.runId, task: task.name, waitedMs }),
    now: () => parts.clock.now(),
  });
}

/** How long after it was due the attempt began. Milliseconds. */
export function begunAfterMs({ startedAt, dueAt }: BegunRun): number {
  return startedAt.getTime() - dueAt.getTime();
}

/** While a new version is rolled out, some workers of a pool have a task's code and others do not. */
async function withoutHandler(spec: HandlerSpec, task: TaskVersion, parts: HandlerParts): Promise<AttemptEnd> {
  const { ledger, workerId: worker } = parts;
  const { code } = handlerFacts(spec);
  if (code === null) return { kind: 'returned', outcome: noHandler(spec.type) };
  const question = { name: code.name, pool: task.definition.pool, worker };
  if (await ledger.codeIsElsewhere(question)) return { kind: 'elsewhere', worker };
  return { kind: 'returned', outcome: noHandler(`code "${code.name}"`) };
}

function noHandler(what: string): HandlerOutcome {
  const message = `this worker has no handler for ${what}; give the task a pool whose workers have it`;
  return { status: 'failed', error: { name: 'UnknownHandler', message } };
}
