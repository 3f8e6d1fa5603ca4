import type { Verdict } from '@escapement/core';
import type { SeenRun } from './begin-result.ts';

export interface FinishRequest {
  runId: string;
  scheduledFor: Date;
  /** The run as the caller saw it; if it is no longer so the request is stale. */
  seen: SeenRun;
  /** Given by who ran it: the slot must still carry this fence. Null for who ends it from outside. */
  fence: bigint | null;
  /** Names this call: repeated with the same id it changes nothing. */
  finishId: string;
  verdict: Verdict;
  /** The run that held the key, where this one was skipped. */
  blockedBy?: string;
  /** Whether the task's schedule counts from the end of its runs; undefined: the statement looks. */
  countsFromEnd?: boolean;
}
