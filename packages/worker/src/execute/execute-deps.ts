import type { Clock, Emit, HandlerLookup } from '@escapement/core';
import type { LeaseKeeper } from '@escapement/queue';
import type {
  BeginRequest,
  BeginResult,
  Database,
  Definitions,
  DispatchableRun,
  Finished,
  FinishRequest,
  GroupCommit,
  RunSketch,
  WaitRequest,
  WaitResult,
} from '@escapement/store';
import type { BatchWatch } from '../batches/batch-watch.ts';
import type { Calls } from '../calls/calls.ts';
import type { OwnFollowers } from '../own-followers.ts';
import type { ActiveRuns } from './active-runs.ts';
import type { ProgressWriter } from './progress-writer.ts';
import type { RateWatch } from './rate-watch.ts';
import type { RunLogWriter } from './run-log-writer.ts';

/** `changed`: the row was not as it had been seen, so what was to be done with it has to be judged anew. */
export type Way = 'done' | 'changed';

/** What the steps of a run need of their worker. */
export interface ExecuteDeps {
  db: Database;
  leases: LeaseKeeper;
  handlers: HandlerLookup;
  calls: Calls;
  batches: BatchWatch;
  /** Called when the run only waits: its place is for another. */
  releaseConcurrencySlot?: () => void;
  definitions: Definitions;
  lookUps: GroupCommit<{ runId: string; scheduledFor: Date }, { run: RunSketch | null }>;
  begins: GroupCommit<BeginRequest, BeginResult>;
  finishes: GroupCommit<FinishRequest, Finished>;
  waits: GroupCommit<WaitRequest, WaitResult>;
  /** Adds the jobs of runs. Never rejects: what the queue does not take the reconciler adds. */
  enqueue: (runs: readonly DispatchableRun[]) => Promise<void>;
  /** The same for runs that waited for their key: they go before what stands in the queue, as they came before it. */
  wake: (runs: readonly DispatchableRun[]) => Promise<void>;
  /** Told that a run waits for a token of its task's rate. */
  rates: Pick<RateWatch, 'watch'>;
  followers: OwnFollowers;
  active: ActiveRuns;
  logs: RunLogWriter;
  progress: ProgressWriter;
  workerId: string;
  clock: Clock;
  emit: Emit;
  /** False once the process must come to its end: no more patience with a Postgres that is away. */
  mayPersist: () => boolean;
  random?: () => number;
}
