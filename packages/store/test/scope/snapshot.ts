import type { Database } from '../../src/index.ts';

let statement: string | undefined;

/**
 * All rows that are of a namespace, or of one of more, a row a line: of tables with a namespace those that have it, of others those
 * that name one of its tasks, runs or batches.
 */
export async function snapshot(db: Database, ...more: string[]): Promise<string> {
  statement ??= await statementOf(db);
  const { rows } = await db.pool.query<{ line: string }>({
    name: 'snapshot',
    text: statement,
    values: [[db.namespace, ...more]],
  });
  return rows
    .map(({ line }) => line)
    .sort()
    .join('\n');
}

async function statementOf(db: Database): Promise<string> {
  const { rows: tables } = await db.pool.query<{ name: string; scoped: boolean }>(
    `SELECT c.relname AS name, EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'namespace') AS scoped
     FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname NOT IN ('_prisma_migrations', '_sql_functions') ORDER BY 1`,
  );
  const parts = tables.map(
    ({ name, scoped }) =>
      `SELECT '${name} ' || to_jsonb(t)::text AS line FROM "${name}" t
       WHERE ${scoped ? 't.namespace = ANY ($1)' : 'EXISTS (SELECT FROM owned o WHERE strpos(to_jsonb(t)::text, o.id) > 0)'}`,
  );
  return `WITH owned AS MATERIALIZED (
      SELECT id::text FROM task WHERE namespace = ANY ($1) UNION SELECT id::text FROM run WHERE namespace = ANY ($1)
      UNION SELECT id::text FROM batch WHERE namespace = ANY ($1)
    ) ${parts.join('\nUNION ALL\n')}`;
}
