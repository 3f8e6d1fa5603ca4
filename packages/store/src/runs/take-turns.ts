import { type Database, query } from '../postgres/database.ts';
import { inTurn } from './overlap-policies.ts';

/** A task whose runs are caught up one after the other. */
export interface TaskInTurn {
  taskId: string;
  /** Its occurrences up to this one wait their turn. */
  until: Date;
}

/**
 * Lets occurrences of tasks that are in time, or soon due, wait for those of the same task that are caught up, so that all of an outage
 * start in the order of their instants. Those that somebody is beginning are left alone.
 */
export async function takeTurns(db: Database, tasks: readonly TaskInTurn[]): Promise<void> {
  await query(db.hot, 'take_turns', TAKE_TURNS, [
    tasks.map(({ taskId }) => taskId),
    tasks.map(({ until }) => until.toISOString()),
    db.namespace,
  ]);
}

const TAKE_TURNS = `
WITH input AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[]) AS i(task_id, until)
), picked AS MATERIALIZED (
  SELECT r.id, r.scheduled_for FROM input i CROSS JOIN LATERAL (
    SELECT r.id, r.scheduled_for, r.namespace, r.key FROM run r
    WHERE r.task_id = i.task_id AND r.phase IN ('live', 'repeating') AND r.scheduled_for <= i.until AND r.state IN ('planned', 'queued')
      AND r.namespace = $3 AND r.origin = 'schedule' AND r.attempt = 0 AND r.overlap <> ${inTurn('r.overlap')}) c
  JOIN run r ON r.id = ANY (ARRAY[c.id]) AND r.scheduled_for = c.scheduled_for
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r SKIP LOCKED
)
UPDATE run r SET overlap = ${inTurn('r.overlap')}
FROM picked p WHERE r.id = ANY (ARRAY[p.id]) AND r.scheduled_for = p.scheduled_for AND r.state IN ('planned', 'queued')`;
