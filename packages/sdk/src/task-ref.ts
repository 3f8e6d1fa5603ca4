import type { StandardSchema } from './standard-schema.ts';

/** What names a task that `defineTask` returned, and checks its payloads. */
interface Task<Input> {
  readonly name: string;
  readonly payload: StandardSchema<Input, unknown> | undefined;
}

/** A task: as `defineTask` returns it, or by its name. As itself its payload is checked, by the compiler and at once. */
export type TaskRef<Input = unknown> = string | Task<Input>;

/** The task of a batch: as `defineTask` returns it, or by its name. As itself its items are checked, and its outputs typed. */
export type FanOutTask<Input = unknown, Output = unknown> =
  | string
  | (Task<Input> & { run(payload: never, context: never): Output | Promise<Output> });

/** A task as `defineTask` returns it, or its name. */
export type NamedTask = string | { readonly name: string };

/** The name of a task that was given as itself or by its name. */
export function nameOf(task: NamedTask): string {
  return typeof task === 'string' ? task : task?.name;
}
