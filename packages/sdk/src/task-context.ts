import type { PreviousRun, RunInfo } from '@escapement/core';
import type { Batch } from './fan-out/batch.ts';
import type { FanOutOptions } from './fan-out/fan-out.ts';
import type { WorkList } from './lists/lists.ts';
import type { FanOutTask, TaskRef } from './task-ref.ts';
import type { RunTimeboxOptions } from './timebox/run-timebox.ts';
import type { TimeboxOperator, TimeboxResult } from './timebox/timebox.ts';

/** What a task knows of its run, and what it may do. */
export interface TaskContext<State = unknown, Secret extends string = string> {
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
   * What the task keeps between its runs of a key, as its `state` schema gives it. Change it, or set it anew: what it is
   * when the run has succeeded is what the next run finds; of a run that fails nothing is kept. Checked against the
   * schema; JSON, at most 256 KiB. Throws `no_state` in a task that declares none.
   */
  state: State;
  /**
   * The secrets that the task declares, by their names; masked in logs and errors. Another name throws `secret_not_declared`.
   */
  readonly secrets: Readonly<Record<Secret, string>>;
  /**
   * The last run of this task and key before this one that began and has ended: when, its outcome, its output; null: there
   * is none, or the ledger keeps it no longer.
   */
  previous(): Promise<PreviousRun | null>;
  /**
   * Decides when the task is due next, instead of its schedule: occurrences before are skipped, with that reason, and
   * after it the schedule goes on. `null`: never again, until a person resumes the task. The last call counts, and only if
   * the run succeeds. The next run follows a second after this one at the earliest, also if the date has passed. Throws `bad_date` for what is no date.
   */
  scheduleNext(at: Date | null): void;
  /**
   * Starts a run of another task, linked to this one, when this one has succeeded: recorded in the same write, so that it
   * is neither lost nor doubled. A payload that does not fit the schema of a task given as such throws
   * `PayloadError`; a name that no task has fails the run. At most 100 a run.
   */
  chain<Input>(task: TaskRef<Input>, payload?: Input): void;
  /**
   * Starts a run of a task for each item: a batch. Resolves when all items are recorded, from when on they are run whatever
   * becomes of this one; a retry of this run gets the same batch, and its items are not read again. At most 1,000,000
   * items, streamed: they are never all in memory. Throws `unknown_task`, `batch_changed`, `batch_twice`, `bad_order`, `fan_out_too_deep`.
   */
  fanOut<Input, Output>(
    task: FanOutTask<Input, Output>,
    items: Iterable<Input> | AsyncIterable<Input>,
    options?: FanOutOptions,
  ): Promise<Batch<Input, Output>>;
  /** A batch by its id, as the task that joins it gets it. Its calls throw `unknown_batch`. */
  batch<Item = unknown, Output = unknown>(id: string): Batch<Item, Output>;
  /**
   * The next item of a work-list, across the fleet: no other run gets it. Taking the next one confirms it, and the success of
   * the run confirms the last; otherwise it goes back to its place. Undefined: there is none just now.
   */
  take(list: string): Promise<unknown>;
  /** A work-list by its name, to add items to it. */
  list(name: string): WorkList;
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
  /**
   * Calls `operator` again and again while time is left: by default until the task's next occurrence and within its time
   * limit, less a margin, so that a run never meets the next one. Each turn is a heartbeat; `ctx.signal` ends the box. See `timebox`
   * for the algorithms. Rejects with what the operator throws, and with `bad_timebox`.
   */
  timebox(operator: TimeboxOperator, options?: RunTimeboxOptions): Promise<TimeboxResult>;
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
