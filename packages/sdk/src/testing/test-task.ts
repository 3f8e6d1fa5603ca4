import {
  type AbortReason,
  type ChainedRun,
  type Clock,
  handlerFacts,
  type Json,
  jsonOf,
  nextAsked,
  type PreviousRun,
  type Progress,
  type RunError,
  type RunInfo,
  type RunState,
  type TaskDefinition,
  type TaskState,
  taskDefinition,
  type Verdict,
} from '@escapement/core';
import type { TaskModule } from '../define-task.ts';
import type { JsonOf } from './json-of.ts';
import { TestAttempt } from './test-attempt.ts';
import { type FannedOut, TestCalls, type TestCallsOptions } from './test-calls.ts';
import { nextOccurrence, previousRun, storedState, testRunInfo } from './test-run-info.ts';
import { TestTime } from './test-time.ts';

export type TestTaskOptions<Input, State> = GivenState<State> & TestTaskSettings<Input>;

/** What the task has kept. Default: nothing yet, its schema sees `undefined`. */
type GivenState<State> =
  /** As JSON keeps it. */
  | { state?: JsonOf<State> | undefined; stateVersion?: undefined }
  /** As an older `stateVersion` has left it, for `migrateState`. */
  | { state: unknown; stateVersion: number };

export interface TestTaskSettings<Input> {
  /** As a trigger would bring it. Default: the task's `defaultPayload`. */
  payload?: Input | undefined;
  /** When the attempt begins. Default 2026-01-01T00:00:00Z. */
  now?: Date | string | undefined;
  /** What the task is told of its run: `attempt`, `scheduledFor`, `origin`, ... Default: a first attempt that is due now. */
  run?: Partial<RunInfo> | undefined;
  /** What `ctx.previous()` gives: a run that succeeded just now, but for what is said here. Default null: there was none. */
  previous?: Partial<PreviousRun> | null | undefined;
  /** What comes of each item of `ctx.fanOut`, at once. Default: it succeeds, and gives nothing back. */
  children?: TestCallsOptions['children'];
  /** What `ctx.batch(id)` gives, by the id, for a task that joins. Default: there is none. */
  batches?: TestCallsOptions['batches'];
  /** What `ctx.take` finds, by the name of the list. Default: nothing. */
  lists?: TestCallsOptions['lists'];
  /** The secrets that the task declares, by name. Default: the value of each is its name. */
  secrets?: Readonly<Record<string, string>> | undefined;
  /** How long each turn of a time box takes, in milliseconds. Default 0: what the turns call lets time pass, or the test. */
  turnMs?: number | undefined;
  /** The share of its jitter by which a back-off is shortened, 0 to 1. Default 0. */
  random?: number | undefined;
}

/** How the attempt ended, and what a fleet would keep of it. */
export interface TestResult<Output, State = unknown> {
  /** What becomes of the run: `succeeded`, `failed`, `retrying`, `skipped`, `timed_out`, `cancelled`, `unknown`, ... */
  status: RunState;
  /** For people; null where there is nothing to say. */
  reason: string | null;
  /** What the task returned, as JSON keeps it; undefined where it did not succeed, or returned nothing. */
  output: JsonOf<Output> | undefined;
  error: RunError | undefined;
  /** What the next run of the key finds: as this run left it if it succeeded, else as it was; undefined: nothing. */
  state: JsonOf<State> | undefined;
  /** The runs that `ctx.chain` asked for, if this one succeeded. */
  chained: readonly ChainedRun[];
  /** What it asked for with `ctx.fanOut`, whatever became of it. */
  fannedOut: readonly FannedOut[];
  /** What is left of the work-lists, by their names. */
  lists: Readonly<Record<string, readonly Json[]>>;
  /** When it is tried again, with `retrying`. */
  retryAt: Date | undefined;
  /** When the task is due next: by `ctx.scheduleNext` if it succeeded, else by its schedule; null: never again, or only when triggered. */
  nextAt: Date | null;
  log: string;
  /** Each report, in order. */
  progress: readonly Progress[];
  /** Calls of `ctx.heartbeat`. */
  heartbeats: number;
  /** How much time was moved from begin to end. */
  durationMs: number;
}

/** An attempt under way; it is also the promise of its result. */
export interface TestRun<Output, State = unknown> extends Promise<TestResult<Output, State>> {
  /** What the task takes for the time: `now()`, `monotonicMs()`. */
  readonly clock: Clock;
  /** So far. */
  readonly log: string;
  readonly progress: readonly Progress[];
  readonly heartbeats: number;
  /**
   * Lets time pass: time limit, heartbeat limit, time boxes and the 5 s after an abort come to their end on the way. Resolves
   * when the task has gone on as far as it can without time and I/O. Called by what the task itself calls (a fake that
   * takes its time), time has moved when it returns.
   */
  advance(ms: number): Promise<void>;
  /** Aborts the task as a fleet would. Default `cancelled`. Resolves when the task has gone on as far as it can. */
  abort(reason?: AbortReason): Promise<void>;
}

/**
 * Runs one attempt of a task in memory, on a clock that stands still until it is moved. Without servers, processes and
 * other runs: the result says what a fleet would make of it. Throws where the payload is no JSON or a field of the task's
 * key is missing; a payload or state that does not fit its schema is a result, `failed`, as in a fleet.
 */
export function testTask<Payload, Output, Input, State>(
  task: TaskModule<Payload, Output, Input, State>,
  options: TestTaskOptions<Input, State> = {},
): TestRun<Output, State> {
  const definition = taskDefinition.parse(task.toDefinition());
  const payload = jsonOf(options.payload ?? definition.payload, `payload of task ${task.name}`);
  const state = storedState(task, options);
  const time = new TestTime(options.now ?? '2026-01-01T00:00:00Z');
  const run = testRunInfo(definition, payload, { now: time.clock.now(), given: options.run ?? {} });
  const { turnMs = 0, random = 0 } = options;
  const previous = options.previous ? previousRun(options.previous, time.clock.now()) : null;
  const calls = new TestCalls({ ...options, previous });
  const secrets = { ...namedSecrets(definition), ...options.secrets };
  const attempt = new TestAttempt({ task, definition, run, payload, state, secrets, calls, time, turnMs, random });
  const ended = attempt.execute().then((verdict): TestResult<Output, State> => {
    const { log, progress, heartbeats } = attempt;
    const now = time.clock.now();
    const { next = afterRun(definition, run, now) } = verdict.effects ?? {};
    const durationMs = time.clock.monotonicMs();
    const left = { fannedOut: calls.fannedOut, lists: calls.lists(verdict.to === 'succeeded') };
    return {
      ...kept<Output, State>(verdict, state),
      ...left,
      nextAt: verdict.effects?.next ? nextAsked(verdict.effects.next, now) : next,
      log,
      progress,
      heartbeats,
      durationMs,
    };
  });
  return Object.defineProperties(ended as TestRun<Output, State>, {
    clock: { value: time.clock },
    log: { get: () => attempt.log },
    progress: { get: () => attempt.progress },
    heartbeats: { get: () => attempt.heartbeats },
    advance: { value: (ms: number) => attempt.advance(ms) },
    abort: { value: (reason: AbortReason = 'cancelled') => attempt.abort(reason) },
  });
}

/** By the schedule. */
function afterRun(definition: TaskDefinition, run: RunInfo, endedAt: Date): Date | null {
  return definition.schedule.kind === 'fixed-delay' ? nextOccurrence(definition, endedAt) : run.nextAt;
}

function kept<Output, State>(verdict: Verdict, before: TaskState) {
  const { to, reason, error, retryAt, effects } = verdict;
  return {
    status: to,
    reason,
    output: verdict.output as JsonOf<Output> | undefined,
    error,
    retryAt,
    state: (effects?.state ?? before).value as JsonOf<State> | undefined,
    chained: effects?.chain ?? [],
  };
}

function namedSecrets({ handler }: TaskDefinition): Record<string, string> {
  return Object.fromEntries(handlerFacts(handler).secrets.map((name) => [name, name]));
}
