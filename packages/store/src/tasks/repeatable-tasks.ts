import type { ScheduleSpec } from '@escapement/core/schedule';
import { type Database, query } from '../postgres/database.ts';
import { covers } from '../runs/admission.ts';
import { PRIORITY_POOLS } from './priorities.ts';

/** A task that may be started by repeats. */
export interface RepeatableTask {
  id: string;
  name: string;
  queue: string;
  schedule: ScheduleSpec;
  everyMs: number;
  /** In a pool in which priorities count. */
  priority: number | null;
}

/**
 * Tasks with an interval of at most `maxEveryMs` that are neither paused or frozen now nor over, and have an occurrence within
 * `withinMs`: by interval and id, `after` the last one of the page before.
 */
export async function repeatableTasks(
  db: Database,
  options: {
    maxEveryMs: number;
    withinMs: number;
    after: Pick<RepeatableTask, 'id' | 'everyMs'> | undefined;
    limit: number;
  },
): Promise<RepeatableTask[]> {
  const rows = await query<Omit<RepeatableTask, 'everyMs'> & { every_ms: string }>(
    db.hot,
    'repeatable_tasks',
    REPEATABLE_TASKS,
    [
      db.namespace,
      options.maxEveryMs,
      options.withinMs,
      options.after?.everyMs ?? 0,
      options.after?.id ?? '00000000-0000-0000-0000-000000000000',
      options.limit,
    ],
  );
  return rows.map(({ every_ms: everyMs, ...row }) => ({ ...row, everyMs: Number(everyMs) }));
}

const REPEATABLE_TASKS = `
SELECT t.id, t.name, queue_of(t.pool, t.need) AS queue, t.schedule, (t.schedule->>'everyMs')::bigint AS every_ms,
  CASE WHEN t.pool IN (${PRIORITY_POOLS('$1')}) THEN coalesce(t.priority, 0) END AS priority
FROM task t JOIN task_plan plan ON plan.task_id = t.id
WHERE t.namespace = $1 AND t.schedule->>'kind' = 'every' AND t.deleted_at IS NULL AND NOT t.rules ?| ARRAY['runOn', 'shadow']
  AND (t.schedule->>'everyMs')::bigint <= $2 AND ((t.schedule->>'everyMs')::bigint, t.id) > ($4::bigint, $5::uuid)
  AND plan.next_run_at <= now() + $3 * interval '1 ms'
  AND NOT EXISTS (SELECT FROM task_pause p WHERE p.task_id = t.id
    AND ${covers('p', 'now()')})
  AND NOT EXISTS (SELECT FROM fleet_freeze z WHERE z.namespace = $1 AND ${covers('z', 'now()')})
ORDER BY (t.schedule->>'everyMs')::bigint, t.id LIMIT $6`;
