import type { RunOrigin, RunState } from '@escapement/core';
import type { Pace } from '@escapement/testkit';

/** All that is known after a run of the fleet under faults; what the checker judges. Instants in epoch milliseconds. */
export interface Evidence {
  tasks: LoadTask[];
  runs: LedgerRun[];
  /** Each change of a run's row, in the order of the ledger. */
  moves: Move[];
  calls: Call[];
  /** In order; stalls of the machine among them. */
  faults: FaultWindow[];
  /**
   * How much of the processors the processes got. Bounds on how late something may be are in fair seconds (I6, I9b, I9c, I10, and
   * what is to have happened by then). Those of safety never are: exclusion (I5), order, counts, what may not happen at all.
   */
  pace: Pace;
  /** For how long a lease, and a heartbeat, was believed. */
  leaseMs: number;
  members: MemberRecord[];
  /** First SIGTERM of the graceful stop to a worker: from here on nobody need start anything. */
  workersStopMs: number;
  /** First SIGTERM to a scheduler: from here on nobody need plan anything. */
  schedulersStopMs: number;
}

/** A task of the load, as far as the checker must know it; nothing in here comes from the product. */
/** How many runs may start within a time, and under which key they are counted. */
export interface Rate {
  key: string;
  limit: number;
  perMs: number;
}

export interface LoadTask {
  name: string;
  key: string;
  limit: number;
  /** Runs may overlap: the task takes no slot. */
  allowsOverlap: boolean;
  /** Its occurrences after `fromMs` up to `toMs`, worked out without the product's schedules. */
  dueAt(fromMs: number, toMs: number): number[];
  /** From when on it is due: when it was saved. */
  effectiveMs: number;
  /** How a run may end that has run. */
  endsAs: readonly RunState[];
  /** Runs of its key begin in order of their due times. */
  inOrder: boolean;
  /** What was cut off is not done again. */
  atMostOnce: boolean;
  maxAttempts: number;
  /** The task that is run once for each of its runs that succeeds. */
  followedBy?: string | undefined;
  rate?: Rate | undefined;
}

export interface LedgerRun {
  id: string;
  task: string;
  origin: RunOrigin;
  state: RunState;
  reason: string | null;
  key: string;
  scheduledForMs: number;
  dueMs: number;
  /** Of a stretch: its last occurrence. */
  untilMs: number | null;
  occurrences: number;
  attempt: number;
  uncounted: number;
  lost: number;
  blockedBy: string | null;
  /** The run that it follows. */
  causeId: string | null;
}

/** One write to a run's row. */
export interface Move {
  /** Position in the ledger's own order. */
  seq: number;
  atMs: number;
  runId: string;
  /** Null: the row was made. */
  from: RunState | null;
  to: RunState;
  key: string;
  slot: number | null;
  fence: number | null;
  attempt: number;
  worker: string | null;
  reason: string | null;
  dueMs: number;
  startedMs: number | null;
}

/** One attempt as the target saw it. */
export interface Call {
  runId: string;
  task: string;
  fence: number;
  attempt: number;
  startMs: number;
  /** Null: no end was seen. */
  endMs: number | null;
  /** `cut`: the caller hung up or was killed. */
  outcome: 'ok' | 'refused' | 'cut';
}

/** One thing that went wrong, and its healing. */
export interface FaultWindow {
  name: string;
  fromMs: number;
  /** From when on the fleet has what it needs again. */
  healedMs: number;
  /** Until when starts may rightly be held up, where that is not its healing: a lease must pass first. */
  excusedMs?: number;
  detail: string;
  /** From when on nothing was overdue, dead or missing any more (I9); null: the wait for that was given up. */
  recoveredMs?: number | null;
  /** What was amiss last before that, of a fault that waited for it itself. */
  left?: string[];
  /** It could not be done, or did not bite: why. */
  failed?: string;
  /** Runs whose statement or job was repeated. */
  repeated?: string[];
  /** Runs that were queued when Redis lost everything. */
  forgotten?: string[];
  /** Of a killed worker: its name in the ledger, and the runs it held. */
  killed?: { worker: string; runs: string[] };
}

/** A scheduler or worker from its start to its end. */
export interface MemberRecord {
  name: string;
  role: 'scheduler' | 'worker';
  end: 'killed' | 'stopped' | 'by itself';
  code: number | null;
  signal: string | null;
  /** From SIGTERM to the end. */
  stopMs: number | null;
  graceMs: number;
  /** The most memory it was seen to have. Undefined: this system does not tell. */
  mostMemoryMb?: number;
  log: LogLine[];
}

export interface LogLine {
  atMs: number;
  level: 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  message: string;
}
