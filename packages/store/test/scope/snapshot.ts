import type { Database } from '../../src/index.ts';

/**
 * All rows that are of a namespace, as one text: of tables with a namespace those that have it, of others those that name one
 * of its tasks, runs or batches.
 */
export async function snapshot(db: Database): Promise<string> {
  const { rows: tables } = await db.pool.query<{ name: string; scoped: boolean }>(
    `SELECT c.relname AS name, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'namespace') AS scoped
     FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname NOT IN ('_prisma_migrations', '_sql_functions') ORDER BY 1`,
  );
  const parts = tables.map(
    ({ name, scoped }) =>
      `SELECT '${name}' AS name, coalesce(jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)::text), '[]') AS rows FROM "${name}" t
       WHERE ${scoped ? 't.namespace = $1' : 'EXISTS (SELECT FROM owned o WHERE strpos(to_jsonb(t)::text, o.id) > 0)'}`,
  );
  const { rows } = await db.pool.query(
    `WITH owned AS MATERIALIZED (
       SELECT id::text FROM task WHERE namespace = $1 UNION SELECT id::text FROM run WHERE namespace = $1
       UNION SELECT id::text FROM batch WHERE namespace = $1
     ) ${parts.join('\nUNION ALL\n')}`,
    [db.namespace],
  );
  return JSON.stringify(rows, null, 1);
}
