import type { DriftCounts } from './drift.ts';
import type { EscapementError } from './errors.ts';
import type { LedgerMove } from './ledger-move.ts';
import type { QueueBlock } from './queue-block.ts';
import type { RunOrigin, RunState } from './run-state.ts';
import type { FindingKind } from './verify-ledger/question.ts';

/** What schedulers, workers and the API tell of themselves. One file per process turns these into log lines. */
export type EngineEvent =
  /** `jobs`: of its runs those that the queue is told of. */
  | { event: 'planned'; tasks: number; runs: number; jobs: readonly DispatchedJob[]; tookMs: number }
  | { event: 'misfires'; caughtUp: number; held: number; missed: number }
  | { event: 'plan_failed'; task: string; error: Error }
  /** Jobs were added to the queue. */
  | { event: 'dispatched'; runs: number; jobs: readonly DispatchedJob[]; tookMs: number }
  | { event: 'dispatch_failed'; runs: number; error: Error }
  | {
      event: 'run_started';
      run: string;
      task: string;
      pool: string;
      attempt: number;
      latenessMs: number;
      /** As `DispatchedJob` has it. */
      traceparent: string | null;
    }
  | {
      event: 'run_finished';
      run: string;
      task: string;
      pool: string;
      state: RunState;
      reason: string | null;
      attempt: number;
      durationMs: number;
      latenessMs: number;
      traced: TracedAttempt;
    }
  /** `task`, here and below: null where its definition cannot be read here. */
  | { event: 'run_waiting'; run: string; task: string | null; key: string; blockedBy: string | null; reason?: string }
  | { event: 'run_not_started'; run: string; task: string | null; key: string; state: RunState; reason: string }
  /** A run whose worker vanished has come to its end by it, or must be resolved by a person. */
  | {
      event: 'run_lost';
      run: string;
      task: string | null;
      state: RunState;
      reason: string | null;
      worker: string;
      attempt: number;
      /** How many workers have vanished under it. */
      lost: number;
      traceparent: string | null;
      /** When its last attempt was due, and began. */
      dueAt: Date;
      startedAt: Date;
    }
  | { event: 'finish_refused'; run: string; task: string; attempt: number }
  | { event: 'finish_failed'; run: string; task: string; attempt: number; error: Error }
  /**
   * A job was dropped that this fleet did not make, or that is far too old. `not_there`: its run is not in this namespace.
   * `other_queue`: its run is for other workers. `malformed`: it names none.
   */
  | {
      event: 'job_refused';
      queue: string;
      run: string | null;
      why: 'not_there' | 'other_queue' | 'malformed';
      detail?: string;
    }
  /** Calls of the same moment have shared a statement: how many. */
  | { event: 'calls_grouped'; statement: string; members: number }
  | { event: 'begin_failed'; run: string; error: Error }
  /** Of each task once in a process. `at`: the date that its run asked for. */
  | { event: 'next_has_passed'; run: string; task: string; at: Date }
  | { event: 'handler_abandoned'; run: string; task: string; waitedMs: number }
  /** An event loop did not turn: that of a handler's process, or that of this one, with the runs inline in it. */
  | { event: 'loop_blocked'; where: 'handler' | 'worker'; runs: string[]; blockedMs: number }
  /** A run has left something behind in the process of its handler; the same of a task is told once. `then`: what becomes of the process. */
  | { event: 'leftovers'; run: string; task: string; what: string[]; then: string }
  /** A handler inline threw outside its promise. `late`: after its run had ended. */
  | { event: 'stray_error'; run: string; task: string; late: boolean; error: Error }
  | { event: 'log_lost'; run: string; characters: number; error: Error }
  /** Queue and ledger differed, and were made equal: so many of each kind. */
  | { event: 'drift'; counts: DriftCounts }
  /** The ledger is another than it was a moment ago: a copy, or one that has lost its last commits. */
  | { event: 'ledger_moved'; how: LedgerMove; from: string | null; to: string }
  /** Another program has done something to a queue in Redis, so that runs do not start; told again while it lasts. */
  | ({ event: 'queue_blocked' } & QueueBlock)
  | { event: 'queues_open' }
  /** Job schedulers were made or removed, so that the tasks with steady intervals have one each. */
  | { event: 'repeatable_jobs_changed'; made: number; removed: number }
  | { event: 'pruned'; runs: number; partitionsDropped: string[]; partitionsMade: string[] }
  /** Partitions that were made by hand lacked rights of their table, and have them now unless somebody else owns them. */
  | { event: 'partitions_without_rights'; partitions: readonly { name: string; granted: boolean }[] }
  /** A message about so many alerts has reached its receiver, or has not. */
  | { event: 'delivery_sent'; delivery: string; receiver: string; alerts: number }
  | { event: 'delivery_failed'; delivery: string; receiver: string; alerts: number; error: string; givenUp: boolean }
  /** What was to follow a run could not be made. */
  | { event: 'followers_failed'; run: string; task: string; what: string; error: string; givenUp: boolean }
  | { event: 'fleet_started'; tasks: string[] }
  /** By newer data the clock of a zone is another one than tasks were planned by. */
  | { event: 'zone_changed'; zone: string; tzVersion: string; replanned: string[] }
  | { event: 'ledger_verified'; tasks: number; expected: number; findings: number; gaps: number }
  | {
      event: 'ledger_finding';
      task: string;
      kind: FindingKind;
      scheduledFor: Date;
      run: string | null;
      detail: string;
    }
  | { event: 'planners_silent'; sinceMs: number }
  | { event: 'task_changed'; task: string; version: number }
  | { event: 'task_change_failed'; task: string; error: Error }
  | { event: 'code_task_saved'; task: string; kind: 'created' | 'updated' | 'resumed'; version: number }
  /** The definition of this worker's code is not the one that counts. */
  | { event: 'code_task_yields'; task: string; why: string }
  | { event: 'code_task_refused'; task: string; error: EscapementError }
  | { event: 'code_tasks_left'; tasks: string[] }
  | { event: 'backfill_ended'; backfill: string; task: string; state: 'done' | 'stopped'; error: string | null }
  /** A request of the API has its answer. `route`: as the API calls it; `none`: there is no such path. */
  | {
      event: 'request_answered';
      request: string;
      route: string;
      method: string;
      status: number;
      /** It is an act: it may have changed something. */
      changes: boolean;
      tookMs: number;
    }
  /** The API reads what it shows from a standby from now on, or does not any more. */
  | { event: 'standby_serves' }
  | { event: 'standby_left'; why: string }
  /** A read that a standby may answer was answered. Only where there is a standby. */
  | { event: 'read_answered'; by: 'standby' | 'primary' }
  | { event: 'clock_off'; offsetMs: number; maxMs: number }
  | { event: 'clock_ok'; offsetMs: number }
  | { event: 'heartbeat_failing'; sinceMs: number; activeRuns: number }
  | { event: 'heartbeat_ok' };

/** A job of a run. */
export interface DispatchedJob {
  /** The run. */
  id: string;
  queue: string;
  dispatch: number;
  /** The span that the run continues; null: its trace begins with it. Undefined: not looked up. */
  traceparent?: string | null;
}

/** What a trace shows of an attempt, by the clock of its worker. */
export interface TracedAttempt {
  traceparent: string | null;
  queue: string;
  key: string;
  origin: RunOrigin;
  /** Which handler, as in `shell`. */
  handler: string;
  /** When the run was due for the first time, as far as its row tells. */
  runDueAt: Date;
  /** Before it began; its handler was called; that ended. */
  begunAt: Date;
  calledAt: Date;
  returnedAt: Date;
}

export type Emit = (event: EngineEvent) => void;
