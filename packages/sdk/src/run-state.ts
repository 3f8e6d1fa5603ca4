import { type Json, jsonOf, MAX_STATE_BYTES, type StateChange, type TaskState } from '@escapement/core';
import type { StateOptions } from './define-task.ts';
import { checkValue } from './schema-check.ts';

/** The state during a run: the run may change the value, or set another. */
export interface RunState {
  value: unknown;
  /** The value to save; undefined: it has not changed. Throws if it cannot be saved. */
  change(): Promise<StateChange | undefined>;
}

/** The state as the task's schema gives it. Throws `StateError` for one that does not fit. */
export async function openState(task: string, options: StateOptions, found: TaskState): Promise<RunState> {
  const given = isOlder(options, found) ? await options.migrate?.(found.value, found.shape) : found.value;
  const value = await checkValue({ use: 'state', task, schema: options.schema, value: structuredClone(given) });
  const before = found.shape === options.version ? textOf(found.value) : undefined;
  const run: RunState = {
    value,
    async change() {
      const json = jsonOf(run.value, `state of task ${task}`, MAX_STATE_BYTES);
      // Undefined is no state: there is nothing to keep.
      if (json === undefined || JSON.stringify(json) === before) return undefined;
      await checkValue({ use: 'state', task, schema: options.schema, value: structuredClone(json) });
      return { value: json, version: found.version, shape: options.version };
    },
  };
  return run;
}

function isOlder({ version, migrate }: StateOptions, { value, shape }: TaskState): boolean {
  return migrate !== undefined && value !== undefined && shape < version;
}

function textOf(value: Json | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
