import type { Client } from 'pg';

/** A partition that is to be dropped. */
export interface OldPartition {
  table: string;
  name: string;
  /** False: it was taken out already, by somebody who did not get to the end. */
  attached: boolean;
  /** The one that covers its range afterwards; null: none does. */
  old: string | null;
  /** SQL for the rows that are worth keeping: their ctid, and whether they are open. Null: none are. */
  kept: string | null;
}

type Table = 'run' | 'attempt' | 'task_hour' | 'run_log_chunk';

interface Row {
  name: string;
  attached: boolean;
  keep_days: number;
}

/**
 * Those in which nothing is younger than the longest retention of any task (30 days where none is longer), oldest first.
 * Attempts go when their runs have gone. With those that were taken out and not dropped.
 */
const OLD_PARTITIONS = `
WITH keep AS (SELECT keep_days() AS days), found AS (
  SELECT p.name, p.to_at, true AS attached FROM partitions_of($1) p WHERE p.from_at IS NOT NULL
  UNION ALL
  SELECT c.relname, to_date(right(c.relname, 8), 'YYYYMMDD')::timestamptz + $2 * interval '1 day', false FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND NOT c.relispartition
    AND c.relname ~ ('^' || $1 || '_p[0-9]{8}$')
)
SELECT f.name, f.to_at, f.attached, k.days AS keep_days FROM found f, keep k
WHERE NOT f.attached OR f.to_at <= now() - k.days * interval '1 day'
  AND ($1 <> 'attempt' OR NOT EXISTS (SELECT FROM partitions_of('run') r WHERE r.from_at IS NOT NULL AND r.from_at < f.to_at))
ORDER BY f.to_at`;

export async function readOldPartitions(client: Client, table: Table): Promise<OldPartition[]> {
  const { rows } = await client.query<Row>(OLD_PARTITIONS, [table, table === 'run_log_chunk' ? 1 : 7]);
  return rows.map(({ name, attached, keep_days }) => ({
    table,
    name,
    attached,
    old: table === 'run' || table === 'attempt' ? `${table}_old` : null,
    kept: keptRows(table, name, keep_days),
  }));
}

function keptRows(table: Table, name: string, keepDays: number): string | null {
  if (table === 'run') return keptRuns(name, keepDays);
  if (table === 'attempt') return keptAttempts(name);
  return null;
}

// The last run of each task is looked for among the last ones of this week: a probe for each of its rows would take hours.
const keptRuns = (name: string, keepDays: number): string => `
  SELECT w.ctid, w.finished_at IS NULL AS open FROM ${name} w
  WHERE w.finished_at IS NULL OR w.finished_at > now() - interval '${keepDays} days'
  UNION
  SELECT l.ctid, l.finished_at IS NULL FROM (
    SELECT DISTINCT ON (w.task_id) w.ctid, w.task_id, w.scheduled_for, w.finished_at FROM ${name} w
    WHERE w.attempt > 0 ORDER BY w.task_id, w.scheduled_for DESC
  ) l
  WHERE NOT EXISTS (SELECT FROM run r WHERE r.task_id = l.task_id AND r.attempt > 0 AND r.scheduled_for > l.scheduled_for)`;

const keptAttempts = (name: string): string => `
  SELECT w.ctid, false AS open FROM ${name} w
  WHERE EXISTS (SELECT FROM run r WHERE r.id = w.run_id AND r.scheduled_for = w.scheduled_for)`;
