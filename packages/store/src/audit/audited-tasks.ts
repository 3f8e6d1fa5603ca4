import type { InForce, ScheduleSpec } from '@escapement/core';
import { type Database, query } from '../database.ts';

/** A task with what its versions said in a time, deleted ones too. */
export interface AuditedTask {
  id: string;
  name: string;
  versions: InForce[];
  /** Days its finished runs are kept. */
  retentionDays: number;
  /** Why it cannot be planned, if so. */
  planError: string | null;
}

/**
 * Tasks that were in force some time in (from, to], by id: `after` is the last id of the page before. With `name`,
 * that one only.
 */
export async function auditedTasks(
  db: Database,
  options: { from: Date; to: Date; after: string | null; limit: number; name?: string },
): Promise<AuditedTask[]> {
  const rows = await query<{
    id: string;
    name: string;
    retention_days: number | null;
    plan_error: string | null;
    versions: { version: number; schedule: ScheduleSpec; effective_at: string; ended_at: string | null }[];
  }>(db.pool, 'audited_tasks', AUDITED_TASKS, [
    db.namespace,
    options.from.toISOString(),
    options.to.toISOString(),
    options.after,
    options.limit,
    options.name ?? null,
  ]);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    retentionDays: row.retention_days ?? 30,
    planError: row.plan_error,
    versions: row.versions.map((each) => ({
      version: each.version,
      schedule: each.schedule,
      effectiveAt: new Date(each.effective_at),
      endedAt: each.ended_at === null ? null : new Date(each.ended_at),
    })),
  }));
}

const AUDITED_TASKS = `
SELECT t.id, t.name, (t.definition->>'retentionDays')::integer AS retention_days, t.plan_error, v.versions
FROM task t
CROSS JOIN LATERAL (
  -- Where calendars move occurrences, the schedule alone does not say when they are due.
  SELECT bool_or(v.definition->'calendars' ? 'shift') AS is_shifted, jsonb_agg(jsonb_build_object('version', v.version, 'schedule', v.definition->'schedule',
    'effective_at', v.effective_at, 'ended_at', v.ended_at) ORDER BY v.version) AS versions
  FROM task_version v
  WHERE v.task_id = t.id AND v.effective_at < $3 AND (v.ended_at IS NULL OR v.ended_at > $2)
) v
WHERE t.namespace = $1 AND ($4::uuid IS NULL OR t.id > $4) AND ($6::text IS NULL OR t.name = $6)
  AND v.versions IS NOT NULL AND v.is_shifted IS NOT TRUE
ORDER BY t.id LIMIT $5`;
