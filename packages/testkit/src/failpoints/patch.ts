/** A function of a production module that a test can make fail in a living process. */
export interface Failpoint {
  /** Path within the repository: `packages/store/src/runs/plan-runs.ts`. */
  module: string;
  /** A function declared there, or a method of what one returns: `planRuns`, `createRunQueue.add`. */
  name: string;
}

/** A change of a production module's text, to take away a guard. */
export interface SourcePatch {
  module: string;
  /** A regular expression; all that it matches goes. */
  find: string;
  /** What comes in its place, as it is. */
  replace: string;
}

/** What the loader is given in the environment. */
export interface LoaderData {
  controlFile: string;
  failpoints: readonly Failpoint[];
  patches: readonly SourcePatch[];
}

/**
 * `before` the call; `during`: it has been made, what it asked for is on its way; `after` it: its result is there and
 * nobody has seen it yet.
 */
export type When = 'before' | 'during' | 'after';

/**
 * `exit`: SIGKILL to itself; `freeze`: SIGSTOP to itself; `block`: the event loop stands for `ms`; `hang`: the call
 * never returns, the process goes on; `delay`: by `ms`; `throw`: the call fails.
 */
export type Action = 'exit' | 'freeze' | 'block' | 'hang' | 'delay' | 'throw';

/** What is to happen at a failpoint. */
export interface ArmingOptions {
  point: Failpoint;
  when: When;
  action: Action;
  /** Of `block` and `delay`. Milliseconds. */
  ms?: number;
  /** How often, in each process. Default 1. */
  times?: number;
}

/** As it stands in the control file. */
export interface Arming extends Omit<ArmingOptions, 'point'> {
  id: string;
  point: string;
}

export function pointName({ module, name }: Failpoint): string {
  return `${module}#${name}`;
}
