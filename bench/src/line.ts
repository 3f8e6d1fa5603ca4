import { newRunId, systemClock } from '@escapement/core';
import { type Database, WAKE_CHANNEL } from '@escapement/store';

/** Puts runs of the one task into the ledger that are due at once, in this order, and how long each works, the first apart. */
export async function insertLine(
  db: Database,
  runs: number,
  { firstMs, eachMs }: { firstMs: number; eachMs: number },
): Promise<void> {
  const nowMs = systemClock.now().getTime();
  const times = Array.from({ length: runs }, (_, index) => new Date(nowMs - runs + index));
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
       overlap, pool, due_at, payload)
     SELECT i.id, i.at, t.namespace, t.id, t.version, t.plan_epoch, 'trigger', 'planned', t.name, t.key_limit, t.overlap,
       t.pool, i.at, CASE WHEN i.n = 1 THEN $3::jsonb ELSE $4::jsonb END
     FROM unnest($1::uuid[], $2::timestamptz[]) WITH ORDINALITY AS i(id, at, n), task t`,
    [times.map((at) => newRunId(at)), times.map((at) => at.toISOString()), String(firstMs), String(eachMs)],
  );
  await db.pool.query('SELECT pg_notify($1, $2)', [WAKE_CHANNEL, db.namespace]);
}
