import { newRunId, type RunState, systemClock } from '@escapement/core';
import { findTask } from '@escapement/store';
import type { testFleet } from '@escapement/testkit/fleet';

export const ago = (ms: number) => new Date(systemClock.now().getTime() - ms);

/** Runs of a new task, so old, as if that had come of them. Returns their ids in that order. */
export async function runsOfTask(
  fleet: Awaited<ReturnType<typeof testFleet>>,
  { name, state, agesMs }: { name: string; state: RunState; agesMs: readonly number[] },
): Promise<string[]> {
  await fleet.save({ name });
  const task = await findTask(fleet.db, name);
  const instants = agesMs.map(ago);
  const ids = instants.map((at) => newRunId(at));
  await fleet.db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit,
       overlap, pool, due_at, finished_at)
     SELECT i.id, i.at, 'default', $1, 1, 0, 'trigger', $2, 'a reason', $3, 1, 'skip', 'default', i.at,
       CASE WHEN $2 IN ('failed', 'timed_out', 'succeeded', 'missed') THEN i.at END
     FROM unnest($4::uuid[], $5::timestamptz[]) AS i(id, at)`,
    [task?.id, state, name, ids, instants.map((at) => at.toISOString())],
  );
  return ids;
}
