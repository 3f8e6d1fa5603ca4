import { EscapementError, isAtRest, type RunState } from '@escapement/core';
import type { RunView } from '@escapement/store';
import type { Fleet } from './fleet.ts';

/** A run that did not succeed: it failed, was skipped, cancelled, ... */
export class RunFailed extends EscapementError {
  override readonly name = 'RunFailed';
  readonly runId: string;
  readonly state: RunState;
  readonly reason: string | null;

  constructor({ id, taskName, state, reason }: RunView) {
    super('run_failed', `run ${id} of ${taskName} is ${state}${reason === null ? '' : `: ${reason}`}`);
    this.runId = id;
    this.state = state;
    this.reason = reason;
  }
}

export interface WaitOptions {
  /** Ends the wait; the run goes on. */
  signal?: AbortSignal;
}

/** A run that was asked for. */
export interface RunHandle<Output> {
  readonly id: string;
  /** The run as the ledger has it now. Throws `unknown_run` once it is pruned. */
  look(): Promise<RunView>;
  /**
   * Waits until the run has ended and gives its output. Throws `RunFailed` if it did not succeed, or if it is `unknown` until
   * a person resolves it; the signal's reason when the wait was aborted; over HTTP `not_allowed` where the token may not see outputs.
   */
  result(options?: WaitOptions): Promise<Output>;
  /** Cancels the run and the runs it has fanned out. False: it has ended already. Throws `unknown_run`. */
  cancel(reason?: string): Promise<boolean>;
}

/** A handle of a run, whoever started it. */
export function runHandle<Output>(fleet: Fleet, id: string): RunHandle<Output> {
  return {
    id,
    look: () => fleet.look(id),
    async result({ signal } = {}) {
      signal?.throwIfAborted();
      for (let run = await fleet.look(id, signal); ; run = await fleet.lookLater(id, signal)) {
        if (run.state === 'succeeded') return outputOf(run);
        if (isAtRest(run.state)) throw new RunFailed(run);
      }
    },
    cancel: (reason) => fleet.cancel(id, reason),
  };
}

/** What the task's own types say it returns; the ledger has it as JSON. */
function outputOf<Output>({ id, output }: RunView): Output {
  // Over HTTP it is left out for whom may not see it.
  if (output !== undefined) return (output ?? undefined) as Output;
  throw new EscapementError('not_allowed', `the token may not see what run ${id} gives back`, {
    fix: 'give it a role with the right `read-payload`',
  });
}
