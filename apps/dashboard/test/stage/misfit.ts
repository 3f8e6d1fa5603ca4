import { actionOf, MINUTE, newRunId, processPrincipal, systemClock } from '@escapement/core';
import { requireTask, saveTask } from '@escapement/operations';
import type { Database } from '@escapement/store';

const BY = actionOf(processPrincipal('the stage'));

/** Two failed runs of a task whose key asks more of a payload than the later one has. */
export async function addMisfit(db: Database, name: string): Promise<void> {
  const handler = { type: 'shell', command: 'true' } as const;
  await saveTask(db, { name, key: '{{payload.day}}', handler }, { source: 'cli', by: BY });
  const { id } = await requireTask(db, name);
  const now = systemClock.now().getTime();
  const instants = [new Date(now - 2 * MINUTE), new Date(now - MINUTE)];
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit,
       overlap, pool, due_at, attempt, started_at, finished_at, payload)
     SELECT i.id, i.at, $1, $2, 1, 0, 'trigger', 'failed', 'exit code 1', $3, 1, 'allow', 'default', i.at, 1, i.at, i.at, i.payload
     FROM unnest($4::uuid[], $5::timestamptz[], $6::jsonb[]) AS i(id, at, payload)`,
    [
      ...[db.namespace, id, name, instants.map((at) => newRunId(at)), instants.map((at) => at.toISOString())],
      [{ day: 'monday' }, {}].map((payload) => JSON.stringify(payload)),
    ],
  );
}
