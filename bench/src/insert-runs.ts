import { newRunId } from '@escapement/core';
import { type Database, WAKE_CHANNEL } from '@escapement/store';

const BATCH = 10_000;

export interface NewRuns {
  /** Name of the task. */
  task: string;
  count: number;
  state: 'planned' | 'queued';
  /** When each is scheduled for, and due. */
  at: (index: number) => Date;
  /** `own` = a key for each run, else the task's. */
  keys: 'own' | 'task';
  payload?: (index: number) => unknown;
}

/** Puts runs into the ledger as a trigger would, and tells schedulers of them. */
export async function insertRuns(db: Database, runs: NewRuns): Promise<void> {
  for (let first = 0; first < runs.count; first += BATCH) {
    const size = Math.min(BATCH, runs.count - first);
    await insertBatch(
      db,
      runs,
      Array.from({ length: size }, (_, index) => first + index),
    );
  }
  await db.pool.query('SELECT pg_notify($1, $2)', [WAKE_CHANNEL, db.namespace]);
}

async function insertBatch(db: Database, runs: NewRuns, indexes: readonly number[]): Promise<void> {
  const times = indexes.map(runs.at);
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, dispatch, key, key_limit,
       overlap, pool, need, due_at, payload)
     SELECT i.id, i.at, t.namespace, t.id, t.version, t.plan_epoch, 'trigger', $4, CASE $4 WHEN 'queued' THEN 1 ELSE 0 END,
       CASE $5 WHEN 'own' THEN 'run-' || i.id ELSE t.key_template END, t.key_limit, t.overlap, t.pool, t.need, i.at, i.payload
     FROM task t, unnest($1::uuid[], $2::timestamptz[], $3::jsonb[]) AS i(id, at, payload) WHERE t.name = $6`,
    [
      times.map((at) => newRunId(at)),
      times.map((at) => at.toISOString()),
      indexes.map((index) => (runs.payload === undefined ? null : JSON.stringify(runs.payload(index)))),
      runs.state,
      runs.keys,
      runs.task,
    ],
  );
}
