import { SECOND, systemClock } from '@escapement/core';
import type { Database } from '@escapement/store';
import { pause } from './apps.ts';

/** So often some of the runs under way end, and as many begin. */
const BEATS_PER_SECOND = 10;

export interface LivingRuns {
  /** Ends once nothing changes any more. */
  stop(): Promise<void>;
}

/**
 * Keeps so many runs of the tasks `bench-0` and on under way, with so many changes a second, of which each is a begin or an end. By SQL, and
 * without the triggers of the ledger: what is measured is who watches, and a fleet beside it would take the processors.
 */
export async function keepAlive(
  db: Database,
  { running, changesPerSecond, tasks }: { running: number; changesPerSecond: number; tasks: number },
): Promise<LivingRuns> {
  const link = await db.pool.connect();
  await link.query('SET session_replication_role = replica');
  let next = 0;
  let isOver = false;
  const begin = async (count: number) => {
    await link.query(BEGIN, [next, next + count - 1, tasks]);
    next += count;
  };
  await begin(running);
  const each = Math.round(changesPerSecond / 2 / BEATS_PER_SECOND);
  const beats = (async () => {
    for (let dueMs = systemClock.monotonicMs(); !isOver; dueMs += SECOND / BEATS_PER_SECOND) {
      await link.query(END, [each]);
      await begin(each);
      await pause(Math.max(0, dueMs + SECOND / BEATS_PER_SECOND - systemClock.monotonicMs()));
    }
  })();
  return {
    async stop() {
      isOver = true;
      await beats;
      link.release(true);
    },
  };
}

const BEGIN = `
INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, dispatch, attempt, key, key_limit, overlap,
  pool, need, due_at, started_at, worker, fence)
SELECT (lpad(to_hex((extract(epoch FROM i.at) * 1000)::bigint), 12, '0') || '7' || substr(md5(i.n::text), 1, 3) || '8' || substr(md5(i.n::text), 4, 15))::uuid,
  i.at, t.namespace, t.id, 1, t.plan_epoch, 'schedule', 'running', 1, 1, t.name || ':living:' || i.n, 1, t.overlap, t.pool, t.need, i.at, i.at, 'filler', 1
FROM (SELECT n, date_trunc('milliseconds', now()) AS at FROM generate_series($1::bigint, $2::bigint) AS n) AS i
JOIN task t ON t.name = 'bench-' || (i.n * 7919 % $3::bigint)`;

/** The oldest first. */
const END = `
UPDATE run r SET state = 'succeeded', finished_at = date_trunc('milliseconds', now())
FROM (SELECT id, scheduled_for FROM run WHERE state = 'running' ORDER BY scheduled_for LIMIT $1) AS e
WHERE r.id = e.id AND r.scheduled_for = e.scheduled_for`;
