import type { OverlapName, RunState } from '@escapement/core';
import { weekStatement } from '../partitions/week-statement.ts';
import type { Database } from '../postgres/database.ts';
import { IS_LEFT_TO_CATCH_UP, isBehind, isInQueues, isOverRate, isRated } from './admission.ts';

/** What the worker needs of a run before it can ask for its lease. */
export interface RunSketch {
  runId: string;
  scheduledFor: Date;
  state: RunState;
  dispatch: number;
  attempt: number;
  taskId: string;
  taskVersion: number;
  key: string;
  keyLimit: number;
  overlap: OverlapName;
  /** A child of a batch waits for as long as it takes: it is not skipped by its own crowd. */
  inBatch: boolean;
  /** Too late to be started without the task's catch-up policy. */
  misfired: boolean;
  /** Until it is due, by Postgres' clock; 0: it is. Milliseconds. */
  earlyMs: number;
  /**
   * Its task asks for order, and an earlier run of the key has not begun; or a rate has no token for it. A run for which a slot is reserved is
   * behind none: it begins together with those that were woken with it.
   */
  behind: boolean;
  /** The slot that is reserved for it, or that it keeps between its attempts. */
  slot: number | null;
  /** Its start takes a token of its task's rate, its pool's, or both. */
  rated: boolean;
  /** What it asks of its worker, see `Need` of core. */
  need: string | null;
  /** It is in none of the queues of who asked. */
  elsewhere: boolean;
}

interface SketchRow {
  id: string;
  scheduled_for: Date;
  state: RunState;
  dispatch: number;
  attempt: number;
  task_id: string;
  task_version: number;
  key: string;
  key_limit: number;
  overlap: OverlapName;
  in_batch: boolean;
  misfired: boolean;
  early_ms: number;
  behind: boolean;
  slot: number | null;
  rated: boolean;
  need: string | null;
  elsewhere: boolean;
}

const SKETCH_COLUMNS = `r.id, r.scheduled_for, r.state, r.dispatch, r.attempt, r.task_id, r.task_version, r.key,
  r.key_limit, r.overlap, r.batch_id IS NOT NULL AS in_batch, CASE WHEN r.misfire_at < now() THEN ${IS_LEFT_TO_CATCH_UP} ELSE false END AS misfired,
  greatest(0, ceil(extract(epoch FROM r.due_at - now()) * 1000))::float8 AS early_ms,
  ${isBehind('r')} AND r.slot IS NULL OR ${isOverRate('r')} AS behind, r.slot, ${isRated('r')} AS rated, r.need`;

const readSketches = weekStatement<SketchRow>(
  'look_up_runs',
  (run) => `
last AS (
  SELECT ${SKETCH_COLUMNS}, NOT ${isInQueues('r', '$4')} AS elsewhere
  FROM unnest($1::uuid[], $2::timestamptz[]) AS i(id, scheduled_for)
  JOIN ${run} r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for
  WHERE r.namespace = $3
)`,
);

/**
 * Reads runs by id, in the order asked; null: there is none. `queues`: those that the worker serves, whose jobs it trusts to
 * name runs of no others. Default: all.
 */
export async function lookUpRuns(
  db: Database,
  refs: readonly { runId: string; scheduledFor: Date }[],
  queues?: readonly string[],
): Promise<(RunSketch | null)[]> {
  const rows = await readSketches(db, refs, [
    refs.map((ref) => ref.runId),
    refs.map((ref) => ref.scheduledFor.toISOString()),
    db.namespace,
    queues ?? null,
  ]);
  const found = new Map(rows.map((row) => [row.id, toSketch(row)]));
  return refs.map(({ runId }) => found.get(runId) ?? null);
}

interface RepeatRow extends SketchRow {
  place: number;
}

/**
 * Looks each repeat up by itself (`OFFSET 0`), and compares task and instant as one row: only the index of occurrences leads there. By
 * `=`, an index that has the instant alone would do as well in a partition that is empty, and the plan that Postgres keeps would
 * read all of it later. The index has the tasks that are not null: `<>` shows Postgres that no row is missing there.
 */
const readRepeats = weekStatement<RepeatRow>(
  'look_up_repeats',
  (run) => `
last AS (
  SELECT ${SKETCH_COLUMNS}, false AS elsewhere, i.place::integer AS place
  FROM unnest($1::uuid[], $2::timestamptz[], $3::text[]) WITH ORDINALITY AS i(task_id, scheduled_for, queue, place)
  CROSS JOIN LATERAL (
    SELECT * FROM ${run} o WHERE o.task_id <> '00000000-0000-0000-0000-000000000000'
      AND (o.task_id, o.scheduled_for) >= (i.task_id, i.scheduled_for) AND (o.task_id, o.scheduled_for) <= (i.task_id, i.scheduled_for)
    OFFSET 0
  ) r
  WHERE r.namespace = $4 AND r.origin = 'schedule' AND r.state = 'planned' AND queue_of(r.pool, r.need) = i.queue
)`,
);

/** Reads the runs that these repeats are to begin, in the order asked; null: there is none (any more). */
export async function lookUpRepeats(
  db: Database,
  repeats: readonly { taskId: string; scheduledFor: Date; queue: string }[],
): Promise<(RunSketch | null)[]> {
  const rows = await readRepeats(db, repeats, [
    repeats.map((repeat) => repeat.taskId),
    repeats.map((repeat) => repeat.scheduledFor.toISOString()),
    repeats.map((repeat) => repeat.queue),
    db.namespace,
  ]);
  const found = new Map(rows.map((row) => [row.place, toSketch(row)]));
  return repeats.map((_, index) => found.get(index + 1) ?? null);
}

function toSketch(row: SketchRow): RunSketch {
  return {
    runId: row.id,
    scheduledFor: row.scheduled_for,
    state: row.state,
    dispatch: row.dispatch,
    attempt: row.attempt,
    taskId: row.task_id,
    taskVersion: row.task_version,
    key: row.key,
    keyLimit: row.key_limit,
    overlap: row.overlap,
    inBatch: row.in_batch,
    misfired: row.misfired,
    earlyMs: row.early_ms,
    behind: row.behind,
    slot: row.slot,
    rated: row.rated,
    need: row.need,
    elsewhere: row.elsewhere,
  };
}
