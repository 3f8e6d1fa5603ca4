import { EscapementError, type Isolation, nearest, type TaskInput, taskDefinition } from '@escapement/core';
import type { SchemaInput, SchemaOutput, StandardSchema } from './standard-schema.ts';
import type { TaskContext } from './task-context.ts';

/** Known by this mark across copies of the package: a task module may bring its own. */
const TASK: unique symbol = Symbol.for('escapement.task');

/** What a task says that has no `payload` schema. */
export type AnyPayload = StandardSchema<unknown, unknown>;

/**
 * A task in code. `schedule`, `key`, `limit`, `overlap`, `timeoutMs`, `retry`, `pool`, `notify`, ... are those of
 * every task, see `taskDefinition` in core; all but `name` and `run` have defaults. Without a `schedule` it runs
 * when triggered only.
 */
export interface TaskOptions<Schema extends StandardSchema, Output> extends Omit<TaskInput, 'handler' | 'payload'> {
  /** Any Standard Schema. A run whose payload does not fit ends as failed, before `run` is called, without a retry. */
  payload?: Schema;
  /** The payload of scheduled runs, and of triggers that bring none. Default: none, the schema sees `undefined`. */
  defaultPayload?: SchemaInput<Schema>;
  /**
   * `process` (default): the work runs in a process of its own, taken from a warm pool, so that a handler which blocks,
   * crashes or eats memory harms no other run. `inline`: in the worker itself, for light work that is run often.
   */
  isolation?: Isolation;
  /** What the heap of that process may grow to, in MB. Default 512; with `process` only. */
  memoryLimitMb?: number;
  /**
   * Does the work. What it returns is kept as the run's output (JSON, at most 64 KiB). A throw fails the attempt:
   * `FatalError` for good, `RetryAfter` until then, `Skip` ends the run as skipped.
   */
  run(payload: SchemaOutput<Schema>, context: TaskContext): Output | Promise<Output>;
}

/** What `defineTask` returns: export it as the module's default. */
export interface TaskModule<Payload = unknown, Output = unknown, Input = unknown> {
  readonly [TASK]: true;
  readonly name: string;
  readonly payload: StandardSchema<Input, Payload> | undefined;
  run(payload: Payload, context: TaskContext): Output | Promise<Output>;
  /** The task as it is saved. */
  toDefinition(): TaskInput;
}

/** Defines a task in code. Throws `bad_task` if an option is wrong, unknown or missing. */
export function defineTask<Output, Schema extends StandardSchema = AnyPayload>(
  options: TaskOptions<Schema, Output>,
): TaskModule<SchemaOutput<Schema>, Output, SchemaInput<Schema>> {
  const { payload, defaultPayload, isolation, memoryLimitMb, run, ...rest } = options;
  const definition = {
    ...rest,
    handler: {
      type: 'code',
      name: options.name,
      ...(isolation === undefined ? {} : { isolation }),
      ...(memoryLimitMb === undefined ? {} : { memoryLimitMb }),
    },
    ...(defaultPayload === undefined ? {} : { payload: defaultPayload }),
  };
  checkDefinition(definition);
  if (typeof run !== 'function') throw badTask(options.name, 'run: a function is expected');
  if (payload !== undefined && !isSchema(payload))
    throw badTask(options.name, 'payload: a Standard Schema is expected; constant data goes into defaultPayload');
  return Object.freeze({
    [TASK]: true as const,
    name: definition.name,
    payload: payload as StandardSchema<SchemaInput<Schema>, SchemaOutput<Schema>> | undefined,
    run: run.bind(options),
    toDefinition: () => structuredClone(definition) as TaskInput,
  });
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
      fix: 'see docs/tasks.md for what a task may say',
    },
  );
}

function isSchema(value: unknown): boolean {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value;
}
