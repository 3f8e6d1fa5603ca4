import { MINUTE, newRunId, systemClock } from '@escapement/core';
import { requireTask } from '@escapement/operations';
import type { Database } from '@escapement/store';

/** Runs of a task of which nobody knows what became of them, a minute apart. Returns their ids, the latest first. */
export async function addUnknown(db: Database, task: string, count: number): Promise<string[]> {
  const { id } = await requireTask(db, task);
  const now = systemClock.now().getTime();
  const instants = Array.from({ length: count }, (_, index) => new Date(now - (index + 1) * MINUTE));
  const ids = instants.map((at) => newRunId(at));
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit,
       overlap, pool, due_at)
     SELECT i.id, i.at, $1, $2, 1, 0, 'trigger', 'unknown', 'lost its worker', $3, 1, 'allow', 'default', i.at
     FROM unnest($4::uuid[], $5::timestamptz[]) AS i(id, at)`,
    [db.namespace, id, task, ids, instants.map((at) => at.toISOString())],
  );
  return ids;
}
