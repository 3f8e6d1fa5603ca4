import { KEPT_DAYS } from '@escapement/core';
import type { CatchUpPolicy } from '@escapement/core/plan';
import type { LabelFilter } from '@escapement/core/rights';
import type { CalendarUse, ScheduleSpec } from '@escapement/core/schedule';
import type { InForce, LedgerPause } from '@escapement/core/verify-ledger';
import { type Database, query } from '../postgres/database.ts';
import { MADE_AHEAD_MS } from '../tasks/due-tasks.ts';
import { meetsLabels, toSelectors } from '../tasks/task-labels.ts';

/** A version with the calendars it uses by name. */
export type VersionToVerify = Omit<InForce, 'calendars'> & { use: CalendarUse | undefined };

/** A task with what its versions said in a time, deleted ones too. */
export interface TaskToVerify {
  id: string;
  name: string;
  versions: VersionToVerify[];
  /** Those that reach into that time, and freezes of the fleet. */
  pauses: LedgerPause[];
  isDeleted: boolean;
  /** Days its finished runs are kept. */
  retentionDays: number;
  /** Why it cannot be planned, if so. */
  planError: string | null;
  /** What is due before then has its rows. Null: nothing more is to be planned. */
  plannedTo: Date | null;
}

interface Row {
  id: string;
  name: string;
  is_deleted: boolean;
  retention_days: number | null;
  plan_error: string | null;
  next_run_at: Date | null;
  versions: {
    version: number;
    name: string;
    schedule: ScheduleSpec;
    use: CalendarUse | null;
    onEveryWorker: boolean;
    catch_up: CatchUpPolicy | null;
    misfire_threshold_ms: number | null;
    effective_at: string;
    ended_at: string | null;
    created_at: string;
  }[];
  pauses: { from_at: string; until_at: string | null }[] | null;
}

/**
 * Tasks that were in force some time in (from, to], by id, with their versions since shortly before and those that came after:
 * `after` is the last id of the page before. With `name`, that one only; with `labels`, those that have them now.
 */
export async function tasksToVerify(
  db: Database,
  options: {
    from: Date;
    to: Date;
    after: string | null;
    limit: number;
    name?: string | undefined;
    labels?: LabelFilter | undefined;
  },
): Promise<TaskToVerify[]> {
  const rows = await query<Row & { [column: string]: unknown }>(db.pool, 'tasks_to_verify', TASKS_TO_VERIFY, [
    db.namespace,
    options.from.toISOString(),
    options.to.toISOString(),
    options.after,
    options.limit,
    options.name ?? null,
    MADE_AHEAD_MS,
    toSelectors(options.labels),
  ]);
  return rows.map(toTask);
}

function toTask(row: Row): TaskToVerify {
  return {
    id: row.id,
    name: row.name,
    isDeleted: row.is_deleted,
    retentionDays: row.retention_days ?? KEPT_DAYS,
    planError: row.plan_error,
    plannedTo: row.next_run_at,
    versions: row.versions.map((each) => ({
      version: each.version,
      name: each.name,
      schedule: each.schedule,
      use: each.use ?? undefined,
      onEveryWorker: each.onEveryWorker,
      catchUp: each.catch_up ?? undefined,
      misfireThresholdMs: each.misfire_threshold_ms ?? undefined,
      effectiveAt: new Date(each.effective_at),
      endedAt: instant(each.ended_at),
      savedAt: new Date(each.created_at),
    })),
    pauses: (row.pauses ?? []).map((each) => ({ fromAt: new Date(each.from_at), untilAt: instant(each.until_at) })),
  };
}

function instant(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

const TASKS_TO_VERIFY = `
SELECT t.id, t.name, t.deleted_at IS NOT NULL AS is_deleted, (t.definition->>'retentionDays')::integer AS retention_days,
  plan.plan_error, plan.next_run_at, v.versions, p.pauses
FROM task t JOIN task_plan plan ON plan.task_id = t.id
CROSS JOIN LATERAL (
  SELECT jsonb_agg(jsonb_build_object('version', v.version, 'name', v.definition->'name', 'schedule', v.definition->'schedule',
    'use', v.definition->'calendars', 'onEveryWorker', v.definition ? 'runOn',
    'catch_up', v.definition->'catchUp', 'misfire_threshold_ms', v.definition->'misfireThresholdMs', 'effective_at', v.effective_at, 'ended_at', v.ended_at, 'created_at', v.created_at)
    ORDER BY v.version) AS versions, bool_or(v.effective_at < $3 AND (v.ended_at IS NULL OR v.ended_at > $2)) AS in_force
  FROM task_version v
  WHERE v.task_id = t.id AND (v.ended_at IS NULL OR v.ended_at > $2 - $7 * interval '1 ms')
) v
CROSS JOIN LATERAL (
  SELECT jsonb_agg(jsonb_build_object('from_at', p.from_at, 'until_at', p.until_at)) AS pauses
  FROM (SELECT from_at, until_at FROM task_pause WHERE task_id = t.id
    UNION ALL SELECT from_at, until_at FROM fleet_freeze WHERE namespace = $1) p
  WHERE p.from_at <= $3 AND (p.until_at IS NULL OR p.until_at > $2)
) p
WHERE t.namespace = $1 AND ($4::uuid IS NULL OR t.id > $4) AND ($6::text IS NULL OR t.name = $6)
  AND ${meetsLabels('t', '$8')} AND v.in_force
ORDER BY t.id LIMIT $5`;
