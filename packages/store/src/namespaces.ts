import { type Database, query } from './postgres/database.ts';

/** Namespaces that are told where one is mistyped. */
const MOST = 100;

/** Whether anybody has ever worked in the namespace of this handle: a task, a process or an act. */
export async function isNamespaceUsed(db: Database): Promise<boolean> {
  const [row] = await query<{ used: boolean }>(
    db.pool,
    'is_namespace_used',
    `SELECT EXISTS (SELECT FROM task t WHERE t.namespace = $1) OR EXISTS (SELECT FROM process p WHERE p.namespace = $1)
       OR EXISTS (SELECT FROM audit a WHERE a.namespace = $1) AS used`,
    [db.namespace],
  );
  return row?.used ?? false;
}

/** Names of namespaces with tasks, in their order; each is one step in an index. */
export async function namespacesWithTasks(db: Database): Promise<string[]> {
  const rows = await query<{ namespace: string }>(
    db.pool,
    'namespaces_with_tasks',
    `WITH RECURSIVE step AS (
       (SELECT t.namespace FROM task t ORDER BY t.namespace LIMIT 1)
       UNION ALL
       SELECT (SELECT t.namespace FROM task t WHERE t.namespace > s.namespace ORDER BY t.namespace LIMIT 1)
       FROM step s WHERE s.namespace IS NOT NULL
     )
     SELECT s.namespace FROM step s WHERE s.namespace IS NOT NULL LIMIT ${MOST}`,
  );
  return rows.map(({ namespace }) => namespace);
}
