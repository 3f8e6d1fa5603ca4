import { HOUR } from '@escapement/core';
import type { Database } from '@escapement/store';

export const NEVER = new Date('2100-01-01T00:00:00Z');
const BATCH = 20_000;
/** What is late is measured, not judged. */
const RULES = { misfireThresholdMs: HOUR };

export interface Timing {
  spec: object;
  nextRunAt: Date | null;
}

export interface TaskOptions {
  /** Default 'skip'. */
  overlap?: string;
  /** How many runs of a task's key may run at once. Default 1. */
  keyLimit?: number;
  /** How many runs may wait for the key (`wait-all`). Default 1,000, as of any task. */
  maxWaiting?: number;
  /** What names begin with. Default 'bench'. */
  prefix?: string;
}

/**
 * Inserts tasks in bulk: saving each by the API is not what is measured. They are a day old, as those of a fleet are: of a task that was edited within
 * the hour, planning looks for rows that were made before the edit.
 */
export async function insertTasks(
  db: Database,
  count: number,
  timing: (index: number) => Timing,
  options: TaskOptions = {},
): Promise<void> {
  for (let first = 0; first < count; first += BATCH) {
    const indexes = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => first + index);
    await insertBatch(db, indexes, timing, options);
  }
  await db.pool.query('ANALYZE');
}

async function insertBatch(
  db: Database,
  indexes: readonly number[],
  timing: (index: number) => Timing,
  { overlap = 'skip', keyLimit = 1, maxWaiting, prefix = 'bench' }: TaskOptions,
): Promise<void> {
  const timings = indexes.map(timing);
  const definition = {
    schedule: { kind: 'manual' },
    handler: { type: 'code', name: 'noop' },
    ...(maxWaiting === undefined ? {} : { overlap: { policy: overlap, maxWaiting } }),
    ...RULES,
  };
  await db.pool.query(
    `WITH t AS (
       INSERT INTO task (name, definition, schedule, key_template, key_limit, overlap, pool, source, effective_at, rules)
       SELECT i.name, $4::jsonb || jsonb_build_object('name', i.name), i.schedule, i.name, $7, $5, 'default', 'bench', now() - interval '1 day', $6::jsonb
       FROM unnest($1::text[], $2::jsonb[]) AS i(name, schedule)
       RETURNING *
     ), planned AS (
       INSERT INTO task_plan (task_id, namespace, next_run_at)
       SELECT t.id, t.namespace, i.at FROM t JOIN unnest($1::text[], $3::timestamptz[]) AS i(name, at) ON i.name = t.name
     )
     INSERT INTO task_version (task_id, version, definition, source, created_by, saver_kind, saver_id)
     SELECT id, 1, definition, 'bench', 'bench', 'process', 'bench' FROM t`,
    [
      indexes.map((index) => `${prefix}-${index}`),
      timings.map(({ spec }) => JSON.stringify(spec)),
      timings.map(({ nextRunAt }) => nextRunAt?.toISOString() ?? null),
      JSON.stringify(definition),
      overlap,
      JSON.stringify(RULES),
      keyLimit,
    ],
  );
}
