import type { RunSketch } from '@escapement/store';

/** What a job asks this worker to run. */
export interface Delivery {
  readonly runId: string;
  /** Of the job. */
  readonly queue: string;
  /** Of the job; the run may begin only while the ledger has this one. */
  readonly dispatch: number;
  /** The run only waits from now on: its place in this worker is for another. */
  readonly releasePlace: () => void;
}

/** A run on its way through this worker: what its job said, and the ledger's row as it was looked up. */
export interface Execution extends Delivery {
  readonly run: RunSketch;
}

/**
 * Where a step ends the way of a run through this worker. `done`: nothing is left to do here, as the run has ended, or somebody
 * else goes on with it. `changed`: the row was not as it had been looked up, so that all has to be judged anew.
 */
export type Outcome = 'done' | 'changed';
