import type { RunInfo } from '@escapement/core';

/** What a task knows of its run, and what it may do. */
export interface TaskContext {
  /** Id, attempt, scheduledFor, key, fence, ... The id stays the same in all attempts: use it for idempotence. */
  readonly run: Readonly<RunInfo>;
  /**
   * Aborted on time limit, shutdown, cancellation or a lost lease; `reason` says which. Pass it on
   * (`fetch(url, { signal })`); what goes on 5 s after it is left to itself and its result refused.
   */
  readonly signal: AbortSignal;
  /** Lines for the run's log. */
  readonly log: TaskLog;
}

/** Writes to the run's log, in order. Never throws; what exceeds the cap (10 MiB) is counted and left out. */
export interface TaskLog {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Text as it is, without time and level: the output of a program, say. */
  write(text: string): void;
}

/** Shown as JSON behind the message; an Error by its name and message. */
export type LogFields = Readonly<Record<string, unknown>>;
