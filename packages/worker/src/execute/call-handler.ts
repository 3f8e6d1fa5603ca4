import {
  type AttemptEnd,
  type Clock,
  type Emit,
  type HandlerLookup,
  type HandlerOutcome,
  type HandlerSpec,
  type Json,
  nextFire,
  parseSchedule,
  type Schedule,
  type TaskState,
} from '@escapement/core';
import { type BegunRun, codeIsElsewhere, type Database, readTaskState, type TaskVersion } from '@escapement/store';
import type { Calls } from '../calls/calls.ts';
import type { ActiveRuns } from './active-runs.ts';
import { persist } from './persist.ts';
import type { ProgressWriter } from './progress-writer.ts';
import { runHandler } from './run-handler.ts';
import type { OpenRunLog } from './run-log-writer.ts';

export interface HandlerDeps {
  db: Database;
  handlers: HandlerLookup;
  workerId: string;
  /** Answers what handlers ask for. */
  calls: Calls;
  /** The run only waits: its place is for another. */
  releaseConcurrencySlot?: () => void;
  active: ActiveRuns;
  progress: ProgressWriter;
  clock: Clock;
  emit: Emit;
  /** False once the process must come to its end: no more patience with a Postgres that is away. */
  mayPersist: () => boolean;
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
  if (!handler) return await withoutHandler(spec, task, deps);
  return await runHandler({
    handler,
    context: {
      spec,
      run: {
        id: run.runId,
        namespace: run.namespace,
        taskName: task.name,
        origin: run.origin,
        requestedBy: run.requestedBy,
        causeRunId: run.causeRunId,
        scheduledFor: run.scheduledFor,
        startedAt: run.startedAt,
        latenessMs: latenessOf(run),
        nextAt: nextOccurrence(task, run.startedAt),
        timeoutMs: task.definition.timeoutMs,
        attempt: run.attempt,
        key: run.key,
        fence: run.fence,
      },
      payload: run.payload ?? (task.definition.payload as Json | undefined),
      ...(task.definition.state ? { state: await readState(run, deps) } : {}),
      log,
    },
    ask: (call, asking) =>
      deps.calls.answer(call, {
        ...asking,
        run,
        releaseConcurrencySlot: deps.releaseConcurrencySlot ?? (() => undefined),
      }),
    timeoutMs: task.definition.timeoutMs,
    heartbeatTimeoutMs: task.definition.heartbeatTimeoutMs,
    onProgress: (progress) => deps.progress.report(run, progress),
    onAbortable: (abort) => deps.active.onAbort(run.runId, abort),
    cancelRequest: () => deps.active.cancelRequest(run.runId),
    onAbandoned: (waitedMs) => deps.emit({ event: 'handler_abandoned', run: run.runId, task: task.name, waitedMs }),
    now: () => deps.clock.now(),
  });
}

/** How long after it was due the attempt began. Milliseconds. */
export function latenessOf({ startedAt, dueAt }: BegunRun): number {
  return startedAt.getTime() - dueAt.getTime();
}

/** Read under the run's slot: no other run of the key changes it before this one has ended. */
function readState({ taskId, key }: BegunRun, { db, mayPersist }: HandlerDeps): Promise<TaskState> {
  return persist(() => readTaskState(db, taskId, key), mayPersist);
}

/** Of versions of tasks, which are kept by `definitions` and never change. */
const schedules = new WeakMap<TaskVersion, Schedule>();

/** Of a fixed delay, which counts from the end of this run: none. */
function nextOccurrence(task: TaskVersion, after: Date): Date | null {
  const { schedule } = task.definition;
  if (schedule.kind === 'fixed-delay' || schedule.kind === 'manual') return null;
  const parsed = schedules.get(task) ?? parseSchedule(schedule, { seed: task.name });
  schedules.set(task, parsed);
  return nextFire(parsed, after);
}

/** While a new version is rolled out, some workers of a pool have a task's code and others do not. */
async function withoutHandler(spec: HandlerSpec, task: TaskVersion, deps: HandlerDeps): Promise<AttemptEnd> {
  const { db, mayPersist, workerId: worker } = deps;
  if (spec.type !== 'code') return { kind: 'returned', outcome: noHandler(spec.type) };
  const question = { name: spec.name, pool: task.definition.pool, worker };
  if (await persist(() => codeIsElsewhere(db, question), mayPersist)) return { kind: 'elsewhere', worker };
  return { kind: 'returned', outcome: noHandler(`code "${spec.name}"`) };
}

function noHandler(what: string): HandlerOutcome {
  const message = `this worker has no handler for ${what}; give the task a pool whose workers have it`;
  return { status: 'failed', error: { name: 'UnknownHandler', message } };
}
