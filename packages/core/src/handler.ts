import type { HandlerCall } from './calls.ts';
import type { RunEffects, TaskState } from './effects.ts';
import type { HandlerSpec } from './handler-spec.ts';
import type { Json } from './json.ts';
import type { RunOrigin } from './run-state.ts';

/** What a handler may know of the run it works for. */
export interface RunInfo {
  id: string;
  namespace: string;
  taskName: string;
  /** The pool of its task. */
  pool: string;
  /** What made it: `schedule`, `trigger`, `chain`, ... */
  origin: RunOrigin;
  /** Who asked for it: a person, as in `ann@host`, or a part of the fleet; null: the schedule. */
  requestedBy: string | null;
  /** The run that it follows, as the next of a chain; null: none. */
  causeRunId: string | null;
  /**
   * The span that the handler continues, as the header `traceparent` of W3C Trace Context has it: for what it calls. Null: the fleet
   * records no traces, and nobody has given the run one.
   */
  traceparent: string | null;
  /** The instant the run was due by its schedule; for a run by hand, when it was triggered. A rerun has that of its original. */
  scheduledFor: Date;
  startedAt: Date;
  /** How long after the attempt was due it began, by Postgres' clock. Milliseconds. */
  latenessMs: number;
  /** When the task was due next by its schedule as the attempt began, calendars and pauses apart; null: not known, or never again. */
  nextAt: Date | null;
  /** The time limit of the attempt, in milliseconds. */
  timeoutMs: number;
  /** 1 for the first try. */
  attempt: number;
  key: string;
  /** Grows with each start on the key's slot. A careful sink refuses a smaller one than it has seen. */
  fence: bigint;
}

export interface HandlerContext<Spec = HandlerSpec> {
  spec: Spec;
  run: RunInfo;
  payload: Json | undefined;
  /** What the task keeps between its runs; undefined: it keeps nothing. */
  state?: TaskState;
  /** Aborted on time limit, shutdown, cancellation or a lost lease; `reason` is an `AbortReason`. */
  signal: AbortSignal;
  log: RunLog;
  /** Says that the handler lives; a task with `heartbeatTimeoutMs` must, in time. Cheap, never throws. */
  heartbeat(): void;
  /** Says how far the work is; a heartbeat too. Cheap, never throws: at most one report a second is kept. */
  progress(done: number, total?: number, note?: string): void;
  /**
   * Waits for what must be there before the work can begin, such as a process for it. The limits of the attempt, for its time and its
   * heartbeats, begin when that is over; who calls this bounds it otherwise. Rejects as `ready` does.
   */
  preparing<Result>(ready: Promise<Result>): Promise<Result>;
  /** Asks the worker for something; see `callAnswers` for what comes back. Rejects with an `EscapementError`. */
  ask(call: HandlerCall): Promise<unknown>;
}

/** Takes a run's output. Never throws and never blocks; keeps order; what exceeds the cap is counted and dropped. */
export interface RunLog {
  write(text: string): void;
}

/** Why the engine stopped a handler. */
export type AbortReason = 'timeout' | 'heartbeat' | 'shutdown' | 'cancelled' | 'lease_lost';

/** An error as the ledger keeps it. */
export interface RunError {
  name: string;
  message: string;
  stack?: string;
  cause?: RunError;
  /** Own enumerable fields of what was thrown, as JSON. */
  fields?: { [key: string]: Json };
}

export type HandlerOutcome =
  | { status: 'succeeded'; output?: Json; exitCode?: number; effects?: RunEffects }
  | {
      status: 'failed';
      error: RunError;
      exitCode?: number;
      retry?: 'never' | { at: Date };
      /**
       * What is known of the work, where it is not the handler's own word that it failed. `not_begun`: nothing of it
       * was done. `cut_off`: it was under way, and nobody knows how far it came (its process was killed, the connection
       * broke before the answer). Only `at-most-once` tasks make a difference of it.
       */
      work?: 'not_begun' | 'cut_off';
      /** What the worker saw of a handler that it had to kill, for the reason: `its event loop was blocked for 9 s`. */
      seen?: string;
    }
  | { status: 'skipped'; reason: string };

/** Runs one attempt. Resolves with what happened; a rejection counts as `failed` with that error. */
export type Handler<Spec = HandlerSpec> = (context: HandlerContext<Spec>) => Promise<HandlerOutcome>;

/** Finds the handler for a spec, or undefined where this worker has none for it. */
export type HandlerLookup = (spec: HandlerSpec) => Handler | undefined;
