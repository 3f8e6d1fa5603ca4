import type { OpenFrom } from '../open-from.ts';
import { type Database, query } from '../postgres/database.ts';

/** What is due by then and not committed yet is not seen; it is by the next look. */
export const GRACE = `interval '5 s'`;

/** Reads the index of each phase up to its first run that is open: entries of runs that have ended stay there while somebody holds an old snapshot. */
const oldest = (phase: string): string =>
  `(SELECT r.due_at FROM run r WHERE r.namespace = $1 AND r.phase = '${phase}' ORDER BY r.due_at LIMIT 1)`;

const OLDEST = `
WITH found AS MATERIALIZED (
  SELECT least(now() - ${GRACE}, ${['live', 'untold', 'repeating'].map(oldest).join(', ')}) AS runs,
    least(now() - ${GRACE}, (SELECT plan.plan_at FROM task_plan plan WHERE plan.namespace = $1 AND plan.next_run_at IS NOT NULL ORDER BY plan.plan_at LIMIT 1)) AS tasks
)
SELECT runs::text, tasks::text, (extract(epoch FROM clock_timestamp() - now()) * 1000)::float8 AS ms FROM found`;

/** Where the oldest open run and the oldest task to plan are, and how long Postgres took to find them, in milliseconds. */
export async function findOldest(db: Database): Promise<OpenFrom & { ms: number }> {
  const [row] = await query<OpenFrom & { ms: number }>(db.hot, 'find_oldest', OLDEST, [db.namespace]);
  if (!row) throw new TypeError('a statement over one row answers with one row');
  return row;
}
