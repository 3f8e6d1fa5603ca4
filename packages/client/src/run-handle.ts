import { setTimeout as sleep } from 'node:timers/promises';
import { actOf, EscapementError, isAtRest, type Principal, type RunState } from '@escapement/core';
import { cancelRun } from '@escapement/operations';
import { type Database, findRun, type RunView } from '@escapement/store';

/** How long to wait between two looks at a run that goes on. */
const LOOK_EVERY_MS = 250;

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
   * a person resolves it; the signal's reason when the wait was aborted.
   */
  result(options?: WaitOptions): Promise<Output>;
  /** Cancels the run and the runs it has fanned out. False: it has ended already. Throws `unknown_run`. */
  cancel(reason?: string): Promise<boolean>;
}

/** A handle of a run, whoever started it. If it is cancelled, the principal is recorded. */
export function runHandle<Output>(db: Database, id: string, principal: Principal): RunHandle<Output> {
  async function look(): Promise<RunView> {
    const run = await findRun(db, id);
    if (!run) throw new EscapementError('unknown_run', `there is no run ${id}`, { fix: 'it may have been pruned' });
    return run;
  }

  return {
    id,
    look,
    async result({ signal } = {}) {
      for (;;) {
        signal?.throwIfAborted();
        const run = await look();
        // What the task's own types say it returns; the ledger has it as JSON.
        if (run.state === 'succeeded') return (run.output ?? undefined) as Output;
        if (isAtRest(run.state)) throw new RunFailed(run);
        await sleep(LOOK_EVERY_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
      }
    },
    async cancel(reason) {
      try {
        await cancelRun(db, id, actOf(principal, reason));
        return true;
      } catch (error) {
        if (error instanceof EscapementError && error.code === 'run_ended') return false;
        throw error;
      }
    },
  };
}
