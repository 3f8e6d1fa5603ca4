import type { Database } from '@escapement/store';
import { HOSTILE_FIELDS, hostileValues } from './values.ts';
import type { Victim } from './victim.ts';

/** A value that is written into a column of a victim's row, or into a field of a document there. */
export interface Mutation {
  table: string;
  column: string;
  /** Of the document; empty: all of the column. */
  path: readonly string[];
  /** An expression of SQL. */
  value: string;
}

/** Which rows of a table are a victim's. Tables that are not here hold nothing that schedulers read of it. */
const OF_VICTIM: Readonly<Record<string, (victim: Victim) => string>> = {
  task: ({ taskId }) => `id = '${taskId}'`,
  run: ({ taskId }) => `task_id = '${taskId}' AND finished_at IS NULL`,
  calendar_version: ({ name }) => `name = 'calendar-${name}'`,
  task_change: ({ name }) => `name = 'change-${name}'`,
  request: ({ name }) => `request->>'pool' = '${name}'`,
  delivery: ({ name }) => `alert_group = '${name}'`,
  alert_silence: ({ name }) => `match = 'task=${name}'`,
  monitor: ({ name }) => `name = '${name}'`,
  key_slot: ({ name }) => `key LIKE '${name}:%'`,
  rate_wait: ({ name }) => `rate_key = '${name}'`,
  rate_bucket: ({ name }) => `rate_key = '${name}'`,
  zone_version: ({ name }) => `name = 'Etc/${name}'`,
  process: ({ name }) => `id = 'worker-${name}'`,
  ...Object.fromEntries(
    [
      'task_plan',
      'task_version',
      'task_label',
      'task_pause',
      'task_state',
      'task_duration',
      'task_hour_stale',
      'failure',
      'alert',
      'alert_fact',
      'followers_outbox',
      'backfill',
    ].map((table) => [table, ({ taskId }: Victim) => `task_id = '${taskId}'`]),
  ),
};

/** What tells whose a row is, or in which week it lies: of another one it would be no row of a victim. */
const IDENTITY = new Set(['namespace', 'id', 'task_id', 'run_id', 'monitor_id']);

/** Counters of ours: at their end is who has saved a task two thousand million times. */
const COUNTERS = new Set(['plan_seq', 'plan_epoch', 'version', 'seq', 'fence', 'revision', 'pings']);

/** All mutations of all columns that can be written, as the catalog has them, and of the fields of the documents in a victim's rows. */
export async function allMutations(db: Database, victim: Victim): Promise<Mutation[]> {
  const { rows } = await db.pool.query<{ table: string; column: string; type: string }>(
    `SELECT c.relname AS table, a.attname AS column, t.typname AS type
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY ($1) AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     ORDER BY c.relname, a.attnum`,
    [Object.keys(OF_VICTIM)],
  );
  const found: Mutation[] = [];
  for (const { table, column, type } of rows.filter((row) => !IDENTITY.has(row.column) && !COUNTERS.has(row.column))) {
    found.push(...hostileValues(type).map((value) => ({ table, column, path: [], value })));
    if (type !== 'jsonb') continue;
    for (const path of await pathsOf(db, { table, column, victim }))
      found.push(...HOSTILE_FIELDS.map((value) => ({ table, column, path, value })));
  }
  return found;
}

async function pathsOf(
  db: Database,
  { table, column, victim }: { table: string; column: string; victim: Victim },
): Promise<string[][]> {
  const { rows } = await db.pool.query<{ document: unknown }>(
    `SELECT ${column} AS document FROM ${table} WHERE ${whose(table, victim)} AND ${column} IS NOT NULL LIMIT 1`,
  );
  return fieldsOf(rows[0]?.document, 2);
}

function fieldsOf(document: unknown, depth: number): string[][] {
  if (depth === 0 || typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([field, inner]) => [
    [field],
    ...fieldsOf(inner, depth - 1).map((path) => [field, ...path]),
  ]);
}

/** Spoils a victim. False: Postgres has a CHECK against it, or has no such value. */
export async function spoil(db: Database, victim: Victim, { table, column, path, value }: Mutation): Promise<boolean> {
  const places = path.map((part) => part.replaceAll(/[^\w.-]/g, '')).join(',');
  const written = path.length === 0 ? value : `jsonb_set(${column}, '{${places}}', (${value})::jsonb)`;
  try {
    await db.pool.query(`UPDATE ${table} SET ${column} = ${written} WHERE ${whose(table, victim)}`);
    return true;
  } catch {
    return false;
  }
}

function whose(table: string, victim: Victim): string {
  return OF_VICTIM[table]?.(victim) ?? 'false';
}

export function words({ table, column, path, value }: Mutation): string {
  return `${[`${table}.${column}`, ...path].join('.')} = ${value}`;
}
