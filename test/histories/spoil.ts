import type { Random } from '@escapement/core';
import type { Database } from '@escapement/store';
import { administer } from '@escapement/testkit';

/** What is due is compared when it is as old as this. */
const OLD_ENOUGH = `interval '11 s'`;

/** A row that accounts for something that was due, and that nothing excuses; `r` and its task `t`. */
const IS_SOUND = `r.state IN ('succeeded', 'failed', 'skipped', 'missed') AND r.scheduled_for < now() - ${OLD_ENOUGH}
  AND EXISTS (SELECT FROM task_version v WHERE v.task_id = r.task_id AND v.version = r.task_version
    AND v.effective_at <= r.scheduled_for AND (v.ended_at IS NULL OR v.ended_at > r.scheduled_for))`;

const KIND = `(SELECT v.definition->'schedule'->>'kind' FROM task_version v WHERE v.task_id = r.task_id AND v.version = r.task_version)`;

interface Fault {
  what: string;
  /** What a row must be for it to show. */
  where: string;
  /** Given `one`, the row. */
  does: string;
}

const FAULTS: readonly Fault[] = [
  { what: 'its row is gone', where: 'true', does: 'DELETE FROM run USING one WHERE run.id = one.id' },
  {
    what: 'its row is of another instant',
    where: `r.until_at IS NULL AND ${KIND} <> 'fixed-delay'`,
    does: `UPDATE run SET scheduled_for = run.scheduled_for - interval '137 ms', due_at = run.due_at - interval '137 ms'
      FROM one WHERE run.id = one.id`,
  },
  {
    what: 'a second row says that it was due just after',
    where: `r.until_at IS NULL AND (${KIND} <> 'fixed-delay' OR r.started_at IS NOT NULL)`,
    does: `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap,
        pool, due_at, dispatch, attempt, fence, worker, started_at, finished_at, created_at)
      SELECT gen_random_uuid(), r.scheduled_for + interval '137 ms', r.namespace, r.task_id, r.task_version, r.plan_epoch, r.origin,
        'succeeded', NULL, r.key, r.key_limit, r.overlap, r.pool, r.due_at, 1, 1, 1, 'worker-1', r.due_at + interval '1 day',
        r.due_at + interval '1 day', r.created_at FROM run r JOIN one ON r.id = one.id`,
  },
  {
    what: 'it began before it was due',
    where: `r.state IN ('succeeded', 'failed')`,
    does: `UPDATE run SET started_at = run.due_at - interval '1 s' FROM one WHERE run.id = one.id`,
  },
  {
    what: 'it was skipped for a pause that there was not',
    where: `r.until_at IS NULL AND r.state IN ('succeeded', 'failed') AND NOT EXISTS (SELECT FROM task_pause p WHERE p.task_id = r.task_id
      AND p.from_at <= r.scheduled_for AND (p.until_at IS NULL OR r.scheduled_for <= p.until_at))`,
    does: `UPDATE run SET state = 'skipped', reason = 'paused', started_at = NULL, attempt = 0 FROM one WHERE run.id = one.id`,
  },
  {
    what: 'a stretch counts one more',
    where: 'r.until_at IS NOT NULL',
    does: 'UPDATE run SET occurrences = run.occurrences + 1 FROM one WHERE run.id = one.id',
  },
];

export interface Spoiled {
  task: string;
  what: string;
}

/** Spoils one row of each task that has one, as somebody would who writes into the tables by hand. */
export async function spoil(db: Database, tasks: readonly string[], random: Random): Promise<Spoiled[]> {
  // The ledger itself refuses most of it.
  await administer(db.url, 'ALTER TABLE run DISABLE TRIGGER USER');
  const spoiled: Spoiled[] = [];
  for (const task of tasks) {
    const what = await spoilOne(db, task, random);
    if (what !== undefined) spoiled.push({ task, what });
  }
  await administer(db.url, 'ALTER TABLE run ENABLE TRIGGER USER');
  return spoiled;
}

async function spoilOne(db: Database, task: string, random: Random): Promise<string | undefined> {
  for (const { what, where, does } of random.shuffle(FAULTS)) {
    const { rows } = await db.pool.query<{ id: string; scheduled_for: Date }>(
      `SELECT r.id, r.scheduled_for FROM run r JOIN task t ON t.id = r.task_id
       WHERE r.namespace = $1 AND t.name = $2 AND ${IS_SOUND} AND ${where} ORDER BY r.scheduled_for`,
      [db.namespace, task],
    );
    if (rows.length === 0) continue;
    const { id, scheduled_for: at } = random.pick(rows);
    await db.pool.query(`WITH one AS (SELECT $1::uuid AS id) ${does}`, [id]);
    return `${what}: ${id} of ${at.toISOString()}`;
  }
  return undefined;
}
