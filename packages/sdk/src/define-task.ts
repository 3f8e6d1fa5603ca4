import {
  EscapementError,
  type Isolation,
  type Json,
  LIFECYCLE_EVENTS,
  type LifecycleEvent,
  nearest,
  type TaskInput,
  taskDefinition,
} from '@escapement/core';
import type { SchemaInput, SchemaOutput, StandardSchema } from './standard-schema.ts';
import type { TaskContext } from './task-context.ts';
import { type NamedTask, nameOf } from './task-ref.ts';

/** Marks a task, also if its module uses another copy of this package. */
const TASK: unique symbol = Symbol.for('escapement.task');

/** The payload type of a task without a `payload` schema. */
export type AnyPayload = StandardSchema<unknown, unknown>;

/** What a task says that declares no state. */
export type NoState = StandardSchema<undefined, undefined>;

/** A run that follows each run of the task. */
export interface ThenOption {
  task: NamedTask;
  /** `success` (default), `failure` (after the last attempt) or `always`. */
  when?: 'success' | 'failure' | 'always';
  /**
   * JSON in which `{{output.field}}` and `{{payload.field}}` stand for what the run gave back and was given; a string
   * that is nothing but a placeholder becomes the value itself. Default: the run's output, if it has one.
   */
  payload?: Json;
}

/** The tasks that run at an event of a run, with its record as their payload; see core's `followerFields`. */
export type LifecycleOptions = { [Event in LifecycleEvent]?: NamedTask };

/** The state of a task. */
export interface StateOptions {
  schema: StandardSchema<unknown, unknown>;
  version: number;
  migrate: ((old: unknown, fromVersion: number) => unknown) | undefined;
}

/**
 * A task in code. `schedule`, `key`, `limit`, `overlap`, `timeoutMs`, `retry`, `pool`, `notify`, ... are those of
 * every task, see `taskDefinition` in core; all but `name` and `run` have defaults. Without a `schedule` it runs
 * when triggered only.
 */
export interface TaskOptions<
  Schema extends StandardSchema,
  Output,
  State extends StandardSchema = NoState,
  Secret extends string = never,
> extends Omit<TaskInput, 'handler' | 'payload' | 'state' | 'then' | LifecycleEvent>,
    LifecycleOptions {
  /** Any Standard Schema. A run whose payload does not fit ends as failed, before `run` is called, without a retry. */
  payload?: Schema;
  /** The payload of scheduled runs, and of triggers that bring none. Default: none, the schema sees `undefined`. */
  defaultPayload?: SchemaInput<Schema>;
  /**
   * The task keeps JSON of this schema between its runs of a key: `ctx.state`. The schema sees `undefined` where there is
   * none yet, so give it a default; it has to accept what it gives. Not with `overlap: 'allow'` or a limit above 1.
   */
  state?: State;
  /** Version of the shape of the state; raise it when the shape changes. Default 1. */
  stateVersion?: number;
  /** Turns the state of an older version into one that fits the schema. Default: the schema gets it unchanged. */
  migrateState?(old: unknown, fromVersion: number): unknown;
  /** What `run` returns must fit it, or the run fails, without a retry; what the schema makes of it is kept. */
  output?: StandardSchema<Output, unknown>;
  /** Runs that follow. At most 20. Default: none. */
  then?: readonly ThenOption[];
  /**
   * `process` (default): the work runs in a process of its own, taken from a warm pool, so that a handler which blocks,
   * crashes or eats memory harms no other run. `inline`: in the worker itself, for light work that is run often.
   */
  isolation?: Isolation;
  /** Limit of the heap of that process, in MB. Default 512; with `process` only. */
  memoryLimitMb?: number;
  /**
   * Names of secrets of the worker (its ESCAPEMENT_SECRETS) that the task is given as `ctx.secrets.NAME`. A run fails for good
   * on a worker that lacks one. Its processes serve no other task. At most 50. Default none.
   */
  secrets?: readonly Secret[];
  /**
   * Does the work. What it returns is kept as the run's output (JSON, at most 64 KiB). A throw fails the attempt:
   * `FatalError` for good, `RetryAfter` until then, `Skip` ends the run as skipped.
   */
  run(payload: SchemaOutput<Schema>, context: TaskContext<SchemaOutput<State>, Secret>): Output | Promise<Output>;
}

/** What `defineTask` returns: export it as the module's default. */
export interface TaskModule<Payload = unknown, Output = unknown, Input = unknown, State = unknown> {
  readonly [TASK]: true;
  readonly name: string;
  readonly payload: StandardSchema<Input, Payload> | undefined;
  /** Undefined: it keeps none. */
  readonly state: StateOptions | undefined;
  readonly output: StandardSchema<unknown, unknown> | undefined;
  run(payload: Payload, context: TaskContext<State>): Output | Promise<Output>;
  /** The task as it is saved. */
  toDefinition(): TaskInput;
}

/** Defines a task in code. Throws `bad_task` if an option is wrong, unknown or missing. */
export function defineTask<
  Output,
  Schema extends StandardSchema = AnyPayload,
  State extends StandardSchema = NoState,
  const Secret extends string = never,
>(
  options: TaskOptions<Schema, Output, State, Secret>,
): TaskModule<SchemaOutput<Schema>, Output, SchemaInput<Schema>, SchemaOutput<State>> {
  const { payload, run } = options;
  const definition = definitionOf(options);
  checkDefinition(definition);
  if (typeof run !== 'function') throw badTask(options.name, 'run: a function is expected');
  checkSchemas(options);
  return Object.freeze({
    [TASK]: true as const,
    name: definition.name,
    payload: payload as StandardSchema<SchemaInput<Schema>, SchemaOutput<Schema>> | undefined,
    state: options.state && {
      schema: options.state,
      version: options.stateVersion ?? 1,
      migrate: options.migrateState?.bind(options),
    },
    output: options.output as StandardSchema<unknown, unknown> | undefined,
    run: run.bind(options),
    toDefinition: () => structuredClone(definition) as TaskInput,
  });
}

/** The options that are saved: all but functions and schemas. */
function definitionOf<Output, Schema extends StandardSchema, State extends StandardSchema, Secret extends string>(
  options: TaskOptions<Schema, Output, State, Secret>,
) {
  const { payload, defaultPayload, isolation, memoryLimitMb, secrets, run, ...more } = options;
  const { state, stateVersion, migrateState, output, then, ...rest } = more;
  const lifecycle: { [Event in LifecycleEvent]?: string } = {};
  for (const event of LIFECYCLE_EVENTS) if (rest[event] !== undefined) lifecycle[event] = nameOf(rest[event]);
  return {
    ...rest,
    ...lifecycle,
    handler: {
      type: 'code',
      name: options.name,
      ...(isolation === undefined ? {} : { isolation }),
      ...(memoryLimitMb === undefined ? {} : { memoryLimitMb }),
      ...(secrets === undefined ? {} : { secrets: [...secrets] }),
    },
    ...(defaultPayload === undefined ? {} : { payload: defaultPayload }),
    ...(state === undefined ? {} : { state: stateVersion === undefined ? {} : { version: stateVersion } }),
    ...(then === undefined ? {} : { then: then.map((link) => ({ ...link, task: nameOf(link.task) })) }),
  };
}

function checkSchemas(options: {
  name: string;
  payload?: unknown;
  state?: unknown;
  output?: unknown;
  stateVersion?: unknown;
  migrateState?: unknown;
}): void {
  const { name, payload, state, output } = options;
  if (payload !== undefined && !isSchema(payload))
    throw badTask(name, 'payload: a Standard Schema is expected; constant data goes into defaultPayload');
  if (state !== undefined && !isSchema(state)) throw badTask(name, 'state: a Standard Schema is expected');
  if (output !== undefined && !isSchema(output)) throw badTask(name, 'output: a Standard Schema is expected');
  if (state === undefined && (options.stateVersion !== undefined || options.migrateState !== undefined))
    throw badTask(name, 'stateVersion and migrateState need a state schema');
}

/** Whether a value, such as a module's default export, was made by `defineTask`. */
export function isTaskModule(value: unknown): value is TaskModule {
  return typeof value === 'object' && value !== null && TASK in value;
}

function checkDefinition(definition: { name: unknown }): void {
  const parsed = taskDefinition.safeParse(definition);
  if (parsed.success) return;
  const list = parsed.error.issues.map(
    (issue) => `${issue.path.join('.').replace(/^handler\./, '') || 'options'}: ${issue.message}${hint(issue)}`,
  );
  throw badTask(definition.name, list.join('; '));
}

const OPTION_NAMES = [
  ...Object.keys(taskDefinition.shape).filter((key) => key !== 'handler'),
  'defaultPayload',
  'isolation',
  'memoryLimitMb',
  'secrets',
  'stateVersion',
  'migrateState',
  'output',
  'run',
];

function hint(issue: object): string {
  if (!('keys' in issue) || !Array.isArray(issue.keys)) return '';
  const meant = issue.keys.map((key) => nearest(String(key), OPTION_NAMES)).filter((key) => key !== undefined);
  return meant.length > 0 ? ` (did you mean ${meant.join(', ')}?)` : '';
}

function badTask(name: unknown, problem: string): EscapementError {
  return new EscapementError(
    'bad_task',
    `defineTask for ${JSON.stringify(name) ?? 'a task without a name'}: ${problem}`,
    {
      fix: 'see docs/reference/tasks.md for what a task may say',
    },
  );
}

function isSchema(value: unknown): boolean {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value;
}
