import type { LifecycleEvent } from './follower-fields.ts';
import type { RunError } from './handler.ts';
import { type Json, MAX_PAYLOAD_BYTES } from './json.ts';
import type { RunOrigin, RunState } from './run-state.ts';

/**
 * A run, as the tasks of its lifecycle get it as their payload. JSON: instants are ISO 8601.
 *
 * Of `onStart`, `onLate`, and of `onMisfire` where the run is caught up, it is the run as it began; else as it ended.
 */
export interface RunRecord {
  /** Why this task is run; absent in the templates of `then`. */
  event?: LifecycleEvent;
  id: string;
  task: string;
  state: RunState;
  reason: string | null;
  /** 0: it never began. */
  attempt: number;
  origin: RunOrigin;
  key: string;
  scheduledFor: string;
  startedAt: string | null;
  finishedAt: string | null;
  /** How late it began, in milliseconds; null: it never did, or it has begun more than once. */
  latenessMs: number | null;
  exitCode: number | null;
  /** Above 1: the row stands for so many occurrences that were skipped or missed. */
  occurrences: number;
  /** Null too where it is so large that the record would exceed 64 KiB: then `outputLeftOut` is true. */
  output: Json;
  outputLeftOut?: true;
  error: RunError | null;
}

/** A run as the ledger has it, as far as what follows it depends on it. */
export interface FinishedRun {
  id: string;
  task: string;
  state: RunState;
  reason: string | null;
  attempt: number;
  origin: RunOrigin;
  key: string;
  scheduledFor: Date;
  dueAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  exitCode: number | null;
  occurrences: number;
  /** Undefined: it has given nothing back. */
  output: Json | undefined;
  /** Undefined: neither it nor its task has one. */
  payload: Json | undefined;
  error: RunError | null;
  /** How many runs are before it in its chain. */
  depth: number;
  /** The span that it continues; null: its trace begins with it. */
  traceparent: string | null;
}

export function recordOf(run: FinishedRun, event?: LifecycleEvent): RunRecord {
  const record: RunRecord = {
    ...(event ? { event } : {}),
    id: run.id,
    task: run.task,
    state: run.state,
    reason: run.reason,
    attempt: run.attempt,
    origin: run.origin,
    key: run.key,
    scheduledFor: run.scheduledFor.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    finishedAt: run.finishedAt?.toISOString() ?? null,
    latenessMs: run.startedAt && run.attempt === 1 ? run.startedAt.getTime() - run.dueAt.getTime() : null,
    exitCode: run.exitCode,
    occurrences: run.occurrences,
    output: run.output ?? null,
    error: run.error,
  };
  const fits = Buffer.byteLength(JSON.stringify(record)) <= MAX_PAYLOAD_BYTES;
  return fits ? record : { ...record, output: null, outputLeftOut: true };
}
