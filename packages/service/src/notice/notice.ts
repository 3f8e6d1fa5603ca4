import type { RunError, RunState } from '@escapement/core';

/** Tells a person that a run finally failed. */
export interface Notice {
  /** The same for each try to send it, so that a receiver can tell a repetition. */
  id: string;
  namespace: string;
  taskName: string;
  runId: string;
  state: RunState;
  /** Why it ended so, as the ledger has it. */
  reason?: string;
  error?: RunError;
  /** Tries made, this last one included. */
  attempt: number;
  scheduledFor: Date;
  endedAt: Date;
  /** The worker that had it last. */
  worker?: string;
  /** The end of the run's log. */
  logTail?: string;
  /** Why its end has paused the task. */
  pausedTask?: string;
}

/** Where a notice goes. */
export type NoticeChannel = { kind: 'email'; to: string } | { kind: 'webhook'; url: string };

/** What became of one try. `permanent`: another try would end the same way. */
export type NoticeResult =
  | { status: 'sent'; detail: string }
  | { status: 'failed'; permanent: boolean; error: string; retryAfterMs?: number };
