import { HOUR } from '@escapement/core';
import type { Database } from '@escapement/store';

export const NEVER = new Date('2100-01-01T00:00:00Z');

export interface Timing {
  spec: object;
  nextRunAt: Date | null;
}

/** Inserts tasks in bulk: saving each by the API is not what is measured. */
export async function insertTasks(
  db: Database,
  count: number,
  schedule: (index: number) => Timing,
  overlap = 'skip',
): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `bench-${index}`);
  const schedules = names.map((_, index) => schedule(index));
  // What is late is measured, not judged.
  const rules = { misfireThresholdMs: HOUR };
  const definition = { schedule: { kind: 'manual' }, handler: { type: 'code', name: 'noop' }, ...rules };
  await db.pool.query(
    `WITH t AS (
       INSERT INTO task (name, definition, schedule, key_template, key_limit, overlap, pool, source, effective_at, next_run_at,
         rules)
       SELECT i.name, $4::jsonb || jsonb_build_object('name', i.name), i.schedule, i.name, 1, $5, 'default', 'bench', now(), i.at,
         $6::jsonb
       FROM unnest($1::text[], $2::jsonb[], $3::timestamptz[]) AS i(name, schedule, at)
       RETURNING *
     )
     INSERT INTO task_version (task_id, version, definition, source, created_by) SELECT id, 1, definition, 'bench', 'bench' FROM t`,
    [
      names,
      schedules.map(({ spec }) => JSON.stringify(spec)),
      schedules.map(({ nextRunAt }) => nextRunAt?.toISOString() ?? null),
      JSON.stringify(definition),
      overlap,
      JSON.stringify(rules),
    ],
  );
  await db.pool.query('ANALYZE');
}
