import type { RunRef } from '../jobs/run-job.ts';
import type { RedisOptions } from '../redis/redis-options.ts';
import type { Repeat } from '../repeat/repeat-job.ts';

export interface MalformedJob {
  queue: string;
  jobId: string;
  reason: string;
}

export interface RunConsumerOptions {
  /** `onError` in here is not used: all errors go to `onError` below. */
  redis: RedisOptions;
  /** The queues to serve. Those of a pool take turns where it is full of work; it does not starve other pools. */
  queues: readonly string[];
  /** Runs at once *in each pool*, in all its queues together; a process with three pools may run three times as many. */
  concurrency: number;
  /** A job goes to another worker when its own has not been heard for so long, and one or two checks of 2 s. Default 10 s. */
  leaseMs?: number;
  /**
   * Executes a run to its end. What comes of it is the ledger's business: a rejection is reported to `onError`,
   * and the job is done with all the same. The same job may come twice (a blocked event loop, a lost link).
   */
  execute: (ref: RunRef) => Promise<void>;
  /** `execute` is called so long before a run is due, at most; it has to wait for the rest. Milliseconds. Default 0. */
  prepareMs?: number;
  /**
   * Runs of a job that are due within the same stretch of this length are prepared together, `prepareMs` before the stretch begins.
   * Milliseconds. Default 0: each for itself.
   */
  prepareTogetherMs?: number;
  /** As `execute`, for the occurrence of a repeat. Without it repeats are dropped. */
  executeRepeat?: (repeat: Repeat) => Promise<void>;
  /** The time by which delays count, Postgres'; null: not known. Default: this process' own. */
  now?: () => Date | null;
  /** Hears of errors at a bounded rate. */
  onError: (error: Error) => void;
  /** A job that is not one of ours, or of a version that this process cannot read. It is dropped. */
  onMalformed?: (job: MalformedJob) => void;
}
