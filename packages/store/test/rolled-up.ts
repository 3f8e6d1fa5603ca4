import { randomUUID } from 'node:crypto';
import { HOUR, type RunState } from '@escapement/core';
import type { Database } from '../src/index.ts';
import { ago, makeTask } from './ledger.ts';

/** A full hour of UTC. The hours that begin in [FIRST, UNTIL) are rolled up. */
export const FIRST = new Date(Math.floor(ago(6 * HOUR).getTime() / HOUR) * HOUR);
export const UNTIL = new Date(FIRST.getTime() + 2 * HOUR);
export const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

interface Row {
  at: Date;
  state: RunState;
  occurrences?: number;
  reason?: string;
  /** Null: it never began. */
  tookMs?: number | null;
}

/** A run of the ledger. */
export async function addRun(db: Database, taskId: string, row: Row): Promise<string> {
  const { at, state, occurrences = 1, reason = 'as it was', tookMs = null } = row;
  const id = randomUUID();
  const isOpen = state === 'queued';
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool,
       due_at, occurrences, until_at, started_at, finished_at)
     SELECT $2, $3::timestamptz, t.namespace, t.id, t.version, t.plan_epoch, 'schedule', $4, $5, t.name, 1, t.overlap, t.pool, $3::timestamptz,
       $6::integer, CASE WHEN $6 > 1 THEN $3::timestamptz END, CASE WHEN $7::integer IS NOT NULL THEN $3::timestamptz END,
       CASE WHEN NOT $8 THEN $3::timestamptz + coalesce($7, 0) * interval '1 ms' END
     FROM task t WHERE t.id = $1`,
    [taskId, id, at.toISOString(), state, reason, occurrences, tookMs, isOpen],
  );
  return id;
}

/** A roll-up that says nothing but how many runs have succeeded in an hour, which may be of the week before. */
async function addHour(db: Database, taskId: string, hour: Date, succeeded: number): Promise<void> {
  const at = hour.toISOString();
  await db.pool.query(`SELECT make_partition('task_hour', $1)`, [at]);
  await db.pool.query(`INSERT INTO task_hour SELECT $1, $2, $3, $3, $3, 0, 0, 0, 0, 0, 0, 0, '{}', '{}'`, [
    taskId,
    at,
    succeeded,
  ]);
}

const rolledUntil = (db: Database, until: Date) =>
  db.pool.query('INSERT INTO roll_up (namespace, rolled_until) VALUES ($1, $2)', [db.namespace, until.toISOString()]);

/** Roll-ups up to `UNTIL`; in another namespace to much later. */
export async function rollUps(db: Database): Promise<void> {
  await rolledUntil(db, UNTIL);
  await rolledUntil({ ...db, namespace: 'other' }, ago(0));
}

/**
 * A task of which roll-ups tell of successes, and the ledger of missed occurrences: what was counted of which tells where either was
 * asked. Each number is a bit of its own.
 */
export async function countedTask(db: Database, name: string): Promise<string> {
  const id = await makeTask(db, { name });
  for (const [hours, succeeded] of [
    [-1, 1],
    [0, 2],
    [1, 4],
    [2, 8],
  ] as const)
    await addHour(db, id, after(FIRST, hours * HOUR), succeeded);
  for (const [at, occurrences] of [
    [after(FIRST, -HOUR / 2 - 1), 1],
    [after(FIRST, -HOUR / 2), 2],
    [after(FIRST, -1), 4],
    [FIRST, 8],
    [after(UNTIL, -1), 16],
    [UNTIL, 32],
    [after(UNTIL, HOUR), 64],
  ] as const)
    await addRun(db, id, { at, state: 'missed', occurrences });
  return id;
}
