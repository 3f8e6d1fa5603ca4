import {
  EscapementError,
  type Json,
  jsonOf,
  MAX_STATE_BYTES,
  newRunId,
  type PreviousRun,
  type RunInfo,
  renderKey,
  type TaskDefinition,
  type TaskState,
} from '@escapement/core';
import { nextFire, parseSchedule } from '@escapement/core/schedule';
import type { TaskModule } from '../define-task.ts';

/** So that a run has the same id each time, as far as its due time allows. */
const SAME_EACH_TIME = new Uint8Array(10);

/** A state as a run finds it: of this version of the task, unless the test says otherwise. */
export function storedState(
  task: Pick<TaskModule, 'name' | 'state'>,
  { state, stateVersion }: { state?: unknown; stateVersion?: number | undefined },
): TaskState {
  const value = jsonOf(state, `state of task ${task.name}`, MAX_STATE_BYTES);
  if (value === undefined) return { version: 0, shape: 0 };
  if (task.state) return { value, version: 1, shape: stateVersion ?? task.state.version };
  throw new EscapementError('no_state', `task ${task.name} declares no state`, {
    fix: 'give defineTask a `state` schema, or leave `state` out of testTask',
  });
}

/** What a worker would tell a run of the task that begins now, unless the test says otherwise. */
export function testRunInfo(
  task: TaskDefinition,
  payload: Json | undefined,
  { now, given }: { now: Date; given: Partial<RunInfo> },
): RunInfo {
  const scheduledFor = given.scheduledFor ?? now;
  return {
    id: newRunId(scheduledFor, SAME_EACH_TIME),
    namespace: 'default',
    taskName: task.name,
    pool: task.pool,
    origin: task.schedule.kind === 'manual' ? 'trigger' : 'schedule',
    scheduledFor,
    startedAt: now,
    latenessMs: Math.max(0, now.getTime() - scheduledFor.getTime()),
    requestedBy: null,
    causeRunId: null,
    traceparent: null,
    nextAt: task.schedule.kind === 'fixed-delay' ? null : nextOccurrence(task, now),
    timeoutMs: task.timeoutMs,
    attempt: 1,
    key: renderKey(task.key ?? task.name, payload),
    fence: 1n,
    ...given,
  };
}

/** The run before one that begins now. */
export function previousRun(given: Partial<PreviousRun>, now: Date): PreviousRun {
  const { scheduledFor = now } = given;
  return {
    id: newRunId(scheduledFor, SAME_EACH_TIME),
    state: 'succeeded',
    scheduledFor,
    startedAt: scheduledFor,
    finishedAt: scheduledFor,
    reason: null,
    output: null,
    ...given,
  };
}

/** When a task is due next by its schedule; of a fixed delay, after a run that ends at `after`. */
export function nextOccurrence(task: TaskDefinition, after: Date): Date | null {
  return nextFire(parseSchedule(task.schedule, { seed: task.name }), after);
}
