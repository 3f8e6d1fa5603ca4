import type { Json } from './json.ts';

/** Largest state of a task, in bytes of UTF-8 JSON. */
export const MAX_STATE_BYTES = 256 * 1024;

/** Most runs that one run may chain. */
export const MAX_CHAINED = 100;

/** What a task keeps between its runs of a key, as a run finds it. */
export interface TaskState {
  /** Absent: there is none yet. */
  value?: Json;
  /** Counts its changes; 0: there is none yet. A change is refused once it is no longer so. */
  version: number;
  /** The version of the task's state declaration that wrote it. */
  shape: number;
}

/** A state to be kept. */
export interface StateChange {
  value: Json;
  /** That of the state that the run has found. */
  version: number;
  shape: number;
}

/** A run that is to follow. */
export interface ChainedRun {
  task: string;
  /** Undefined: the payload of that task. */
  payload?: Json;
}

/** What a run leaves behind beside its output. All of it is committed with its success, in the same write, or not at all. */
export interface RunEffects {
  state?: StateChange;
  /** When the task is due next, instead of what its schedule says; null: never again. */
  next?: Date | null;
  chain?: readonly ChainedRun[];
}
