import type { RunInfo } from '@escapement/core';

/** What a task knows of its run, and what it may do. */
export interface TaskContext {
  /** Id, attempt, scheduledFor, key, fence, ... The id stays the same in all attempts: use it for idempotence. */
  readonly run: Readonly<RunInfo>;
  /**
   * Aborted on time limit, shutdown, cancellation or a lost lease; `reason` says which. Pass it on
   * (`fetch(url, { signal })`); what goes on after it is killed, or, if it runs inline, left to itself after 5 s.
   */
  readonly signal: AbortSignal;
  /** Lines for the run's log. */
  readonly log: TaskLog;
  /**
   * Says that the task lives. With `heartbeatTimeoutMs` it must be called (or `progress`) at least that often, or the
   * attempt is stopped as timed out. Cheap and never throws: call it as often as you like.
   */
  heartbeat(): void;
  /**
   * Says how far the work is, for `escapement runs show`: `progress(30, 100, 'copying')`. A heartbeat too. Of many calls
   * the latest in each second is kept.
   */
  progress(done: number, total?: number, note?: string): void;
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
