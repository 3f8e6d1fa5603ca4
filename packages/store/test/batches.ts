import { newRunId } from '@escapement/core';
import type { Database } from '../src/index.ts';
import { ago, MINUTE } from './ledger.ts';

export interface BatchFixture {
  id: string;
  createdAt: Date;
}

/** A batch of a task that a run has asked for, a minute old. `set`: what else is true of it. */
export async function insertBatch(
  db: Database,
  { taskId, run, set }: { taskId: string; run?: { runId: string; scheduledFor: Date } | undefined; set?: string },
): Promise<BatchFixture> {
  const createdAt = ago(MINUTE);
  const id = newRunId(createdAt).replace(/.{8}$/, '00000000');
  await db.pool.query(
    `INSERT INTO batch (id, namespace, run_id, run_scheduled_for, name, task_id, concurrency, ordering, on_error, state, filled_by,
       total, created_at)
     VALUES ($1, $2, $3, $4, $7, $5, 7, 'none', 'continue', 'running', 1, 5, $6)`,
    [id, db.namespace, run?.runId ?? newRunId(createdAt), run?.scheduledFor ?? createdAt, taskId, createdAt, id],
  );
  if (set) await db.pool.query(`UPDATE batch SET ${set} WHERE id = $1`, [id]);
  return { id, createdAt };
}

/** Children of a batch that have succeeded, of its first items; their ids. */
export async function insertChildren(
  db: Database,
  { id, createdAt }: BatchFixture,
  { taskId, count }: { taskId: string; count: number },
): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool,
       due_at, started_at, finished_at, payload, output, batch_id)
     SELECT batch_child($1, n), $2, $3, $4, 1, 1, 'chain', 'succeeded', 'k', 1, 'allow', 'default', $2, $2, now(), to_jsonb(n),
       to_jsonb('out ' || n), $1
     FROM generate_series(0, $5::integer - 1) AS n RETURNING id`,
    [id, createdAt, db.namespace, taskId, count],
  );
  return rows.map((row) => row.id);
}
