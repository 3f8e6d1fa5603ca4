import type { StandardSchema } from './standard-schema.ts';

/** The name of a task that `defineTask` returned, and its payload schema. */
interface Task<Input> {
  readonly name: string;
  readonly payload: StandardSchema<Input, unknown> | undefined;
}

/** A task: as `defineTask` returns it, or its name. In the first form the compiler and the schema check its payload. */
export type TaskRef<Input = unknown> = string | Task<Input>;

/** The task of a batch: as `defineTask` returns it, or its name. In the first form items are checked and outputs have a type. */
export type FanOutTask<Input = unknown, Output = unknown> =
  | string
  | (Task<Input> & { run(payload: never, context: never): Output | Promise<Output> });

/** A task as `defineTask` returns it, or its name. */
export type NamedTask = string | { readonly name: string };

/** The name of a task that was given as itself or by its name. */
export function nameOf(task: NamedTask): string {
  return typeof task === 'string' ? task : task?.name;
}
