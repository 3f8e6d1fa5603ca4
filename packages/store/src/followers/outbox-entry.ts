import type { ChainedRun, FinishedRun, Json, RunError, RunOrigin, RunState } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { covers } from '../runs/admission.ts';

/** What is to be done about a run. */
export interface OutboxEntry {
  id: string;
  what:
    | { event: 'started' | 'finished' }
    /** The handler asked for these runs. */
    | { event: 'chain'; chain: ChainedRun[] }
    /** A run of the same task, then. `paused`: a person has paused the task for that time, and says why. */
    | { event: 'next'; at: Date; paused: { note: string | null } | null };
  /** When it was noted. */
  notedAt: Date;
  /** How often it could not be done. */
  tries: number;
  taskId: string;
  taskVersion: number;
  /** Of `started`: as it was then. Null: the pruner took it. */
  run: FinishedRun | null;
}

interface Row {
  note: bigint;
  event: OutboxEntry['what']['event'];
  detail: unknown;
  noted_at: Date;
  tries: number;
  task_id: string;
  pause_note: string | null;
  paused: boolean;
  id: string | null;
  task_name: string;
  task_version: number;
  state: RunState;
  reason: string | null;
  attempt: number;
  origin: RunOrigin;
  key: string;
  scheduled_for: Date;
  due_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  exit_code: number | null;
  occurrences: number;
  output: Json;
  has_output: boolean;
  payload: Json;
  has_payload: boolean;
  error: RunError | null;
  depth: number;
  traceparent: string | null;
}

/** What is to be done about these runs, as far as it is due. */
export async function outboxEntriesOf(db: Database, runIds: readonly string[]): Promise<OutboxEntry[]> {
  const rows = await query<Row>(db.hot, 'outbox_entries_of', OUTBOX_ENTRIES_OF, [db.namespace, runIds]);
  return rows.map(toOutboxEntry);
}

/** What has been due for so long, the oldest first. */
export async function dueOutboxEntries(
  db: Database,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
): Promise<OutboxEntry[]> {
  const rows = await query<Row>(db.hot, 'due_outbox_entries', DUE_OUTBOX_ENTRIES, [db.namespace, olderThanMs, limit]);
  return rows.map(toOutboxEntry);
}

const SELECT = `
SELECT f.id AS note, f.event, f.detail, f.created_at AS noted_at, f.tries, f.task_id, p.note AS pause_note,
  p.id IS NOT NULL AS paused, r.id, t.name AS task_name, r.task_version, r.state, r.reason, r.attempt, r.origin, r.key,
  r.scheduled_for, r.due_at, r.started_at, r.finished_at, r.exit_code, r.occurrences, r.output,
  r.output IS NOT NULL AS has_output, coalesce(r.payload, v.definition->'payload') AS payload,
  r.payload IS NOT NULL OR v.definition ? 'payload' AS has_payload, r.error, r.depth, r.traceparent
FROM followers_outbox f
JOIN task t ON t.id = f.task_id
LEFT JOIN any_run r ON r.id = f.run_id AND r.scheduled_for = f.scheduled_for
LEFT JOIN task_version v ON v.task_id = r.task_id AND v.version = r.task_version
LEFT JOIN LATERAL (
  SELECT p.id, p.note FROM task_pause p
  -- Equivalent mutant (predicate removed, f.event): only the note of a next run has an instant, and only for it the pause is read.
  WHERE f.event = 'next' AND p.task_id = f.task_id AND p.run_id IS NULL
    AND ${covers('p', "to_timestamp((f.detail->>'at')::float8 / 1000)")}
  LIMIT 1
) p ON true`;

// Asked by who has just ended the run: the column keeps milliseconds, and may have been rounded up.
const OUTBOX_ENTRIES_OF = `${SELECT}
WHERE f.run_id = ANY ($2::uuid[]) AND f.namespace = $1 AND f.not_before < now() + interval '1 ms' AND f.given_up_at IS NULL
ORDER BY f.id`;

const DUE_OUTBOX_ENTRIES = `${SELECT}
WHERE f.namespace = $1 AND f.not_before <= now() - $2 * interval '1 ms' AND f.given_up_at IS NULL
ORDER BY f.not_before, f.id LIMIT $3`;

function toOutboxEntry(row: Row): OutboxEntry {
  return {
    id: row.note.toString(),
    what: whatOf(row),
    notedAt: row.noted_at,
    tries: row.tries,
    taskId: row.task_id,
    taskVersion: row.task_version,
    run: row.id === null ? null : toRun(row, row.id),
  };
}

function whatOf({ event, detail, paused, pause_note }: Row): OutboxEntry['what'] {
  switch (event) {
    case 'chain':
      return { event, chain: detail as ChainedRun[] };
    case 'next':
      return { event, at: new Date((detail as { at: number }).at), paused: paused ? { note: pause_note } : null };
    case 'started':
    case 'finished':
      return { event };
  }
}

function toRun(row: Row, id: string): FinishedRun {
  const run: FinishedRun = {
    id,
    task: row.task_name,
    state: row.state,
    reason: row.reason,
    attempt: row.attempt,
    origin: row.origin,
    key: row.key,
    scheduledFor: row.scheduled_for,
    dueAt: row.due_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    exitCode: row.exit_code,
    occurrences: row.occurrences,
    output: row.has_output ? row.output : undefined,
    payload: row.has_payload ? row.payload : undefined,
    error: row.error,
    depth: row.depth,
    traceparent: row.traceparent,
  };
  return row.event === 'started' ? asItBegan(run, row) : run;
}

/** The note was written by the statement that began it, so it has its time. It may have gone on since. */
function asItBegan(run: FinishedRun, { noted_at, detail }: Row): FinishedRun {
  return {
    ...run,
    state: 'running',
    reason: null,
    attempt: 1,
    dueAt: new Date((detail as { dueAt: number }).dueAt),
    startedAt: noted_at,
    finishedAt: null,
    exitCode: null,
    output: undefined,
    error: null,
  };
}
