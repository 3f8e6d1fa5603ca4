import type { ActiveRuns } from './active-runs.ts';
import type { Delivery, Outcome } from './execution.ts';

/**
 * Makes the run an active one of this worker. From here on the heartbeats list it, so that the reconciler knows in whose
 * hands its job is. Undefined: it is ours, and is to be released.
 */
export async function claim({ runId, dispatch }: Delivery, active: ActiveRuns): Promise<Outcome | undefined> {
  switch (active.claim(runId, dispatch)) {
    case 'ours':
      return undefined;
    // A job delivered twice to the same process: who came first goes on with it.
    case 'twice':
      return 'done';
    case 'earlier':
      await active.released(runId);
      return 'changed';
  }
}
