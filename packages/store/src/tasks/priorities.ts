import { type Database, query } from '../postgres/database.ts';

/** SQL: the pools of a namespace in which a task says how urgent it is, but for those where people have switched that off. */
export const PRIORITY_POOLS = (namespace: string) =>
  `SELECT p.pool FROM task p WHERE p.namespace = ${namespace} AND p.priority IS NOT NULL AND p.deleted_at IS NULL
    AND NOT EXISTS (SELECT FROM pool o WHERE o.namespace = p.namespace AND o.name = p.pool AND NOT o.priorities)`;

/** The pools in which priorities count: a task says how urgent it is, and nobody has switched that off. */
export async function priorityPools(db: Database): Promise<Set<string>> {
  const rows = await query<{ pool: string }>(
    db.hot,
    'priority_pools',
    `SELECT DISTINCT pool FROM (${PRIORITY_POOLS('$1')}) pools`,
    [db.namespace],
  );
  return new Set(rows.map(({ pool }) => pool));
}

/** How urgent runs are, by id: what their tasks say now, 0 for one that says nothing. Runs that are gone are left out. */
export async function runPriorities(
  db: Database,
  runs: readonly { runId: string; scheduledFor: Date }[],
): Promise<Map<string, number>> {
  const rows = await query<{ id: string; priority: number }>(
    db.hot,
    'run_priorities',
    `SELECT r.id, coalesce(t.priority, 0) AS priority
     FROM unnest($1::uuid[], $2::timestamptz[]) AS i(id, scheduled_for)
     JOIN run r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for
     JOIN task t ON t.id = r.task_id
     WHERE r.namespace = $3`,
    [runs.map((run) => run.runId), runs.map((run) => run.scheduledFor.toISOString()), db.namespace],
  );
  return new Map(rows.map(({ id, priority }) => [id, priority]));
}

/** Both, for who asks again and again. */
export function taskPriorities(db: Database) {
  return {
    pools: () => priorityPools(db),
    ofRuns: (runs: readonly { runId: string; scheduledFor: Date }[]) => runPriorities(db, runs),
  };
}
