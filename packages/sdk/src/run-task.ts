import {
  type Clock,
  EscapementError,
  failedForGood,
  type HandlerContext,
  type HandlerOutcome,
  jsonOf,
  outcomeOfThrown,
  type RunEffects,
  type TaskState,
} from '@escapement/core';
import { type Calls, callsOf } from './calls.ts';
import type { TaskModule } from './define-task.ts';
import { EffectCollector } from './run-effects.ts';
import { openState, type RunState } from './run-state.ts';
import { checkPayload, checkValue, SchemaError } from './schema-check.ts';
import { declaredSecrets } from './secrets.ts';
import type { TaskContext } from './task-context.ts';
import { createTaskLog } from './task-log.ts';
import { runTimebox } from './timebox/run-timebox.ts';
import type { timebox } from './timebox/timebox.ts';
import { withinTrace } from './within-trace.ts';

/** What a task gets from the program that runs it. */
export interface TaskRunContext
  extends Pick<HandlerContext, 'run' | 'payload' | 'state' | 'signal' | 'log' | 'heartbeat' | 'progress'>,
    // Absent: it runs by itself, and there is nobody to ask.
    Partial<Pick<HandlerContext, 'ask'>> {
  /** Those that the task declares, by name. Default none. */
  secrets?: Readonly<Record<string, string>>;
  /** Opens its time boxes. Default: `timebox`. */
  openTimebox?: typeof timebox | undefined;
}

/** One attempt of a task: payload and state checked, handler called, result or throw turned into an outcome. Never rejects. */
export async function runTask(task: TaskModule, context: TaskRunContext, clock: Clock): Promise<HandlerOutcome> {
  const effects = new EffectCollector();
  let begun = false;
  try {
    const payload = task.payload ? await checkPayload(task.name, task.payload, context.payload) : context.payload;
    const state = task.state && (await openState(task.name, task.state, context.state ?? NO_STATE));
    begun = true;
    const calls = callsOf(context);
    const asked = taskContext(task, context, { state, effects, calls, clock });
    const output = await withinTrace(context.run.traceparent, () => task.run(payload, asked));
    await calls.settled();
    const kept = task.output
      ? await checkValue({ use: 'output', task: task.name, schema: task.output, value: output })
      : output;
    return succeeded(task.name, kept, await effects.collect(state));
  } catch (thrown) {
    if (isFinal(thrown)) return { ...failedForGood(thrown), ...(begun ? {} : { work: 'not_begun' }) };
    return outcomeOfThrown(thrown, clock.now());
  }
}

const NO_STATE: TaskState = { version: 0, shape: 0 };

/** Not tried again: a retry would find the same payload, or repeat the work with the same result. */
function isFinal(thrown: unknown): boolean {
  return thrown instanceof SchemaError || (thrown instanceof EscapementError && /^json_|^not_json$/.test(thrown.code));
}

interface Parts {
  state: RunState | undefined;
  effects: EffectCollector;
  calls: Calls;
  clock: Clock;
}

function taskContext(task: TaskModule, context: TaskRunContext, { state, effects, calls, clock }: Parts): TaskContext {
  const { run, signal } = context;
  const heartbeat = () => context.heartbeat();
  return {
    run,
    signal,
    secrets: declaredSecrets(task.name, context.secrets ?? {}),
    log: createTaskLog(context.log, clock),
    heartbeat,
    progress: (...report) => context.progress(...report),
    timebox: runTimebox({ run, signal, heartbeat, clock, open: context.openTimebox }),
    previous: calls.previous,
    fanOut: calls.fanOut,
    batch: calls.batch,
    take: calls.take,
    list: calls.list,
    scheduleNext: (at) => effects.scheduleNext(at),
    chain: (next, payload) => effects.chain(next, payload),
    get state() {
      return declared(task.name, state).value;
    },
    set state(value) {
      declared(task.name, state).value = value;
    },
  };
}

function declared(task: string, state: RunState | undefined): RunState {
  if (state) return state;
  throw new EscapementError('no_state', `task ${task} declares no state`, {
    fix: 'give defineTask a `state` schema',
  });
}

/** Throws where JSON cannot hold the output. */
function succeeded(task: string, output: unknown, effects: RunEffects | undefined): HandlerOutcome {
  const json = jsonOf(output, `output of task ${task}`);
  return {
    status: 'succeeded',
    ...(json === undefined ? {} : { output: json }),
    ...(effects === undefined ? {} : { effects }),
  };
}
