import type { Random } from '@escapement/core';
import type { Database } from '@escapement/store';
import { administer } from '@escapement/testkit';
import { FAULTS, type Fault, FREEZE_IS_GONE, IS_SOUND } from './faults.ts';

export interface Spoiled {
  task: string;
  what: string;
}

/** Spoils one row of each task that has one, as somebody would who writes into the tables by hand. */
export async function spoil(db: Database, tasks: readonly string[], random: Random): Promise<Spoiled[]> {
  const spoiled: Spoiled[] = [];
  for (const task of tasks) {
    const one = await spoilOne(db, task, { faults: random.shuffle(FAULTS), random });
    if (one) spoiled.push(one);
  }
  return spoiled;
}

/** Takes away a freeze in which something was skipped, if there is one; all its tasks are spoiled by it, one is named. */
export async function thaw(
  db: Database,
  tasks: readonly string[],
  random: Random,
): Promise<{ one: Spoiled; undo: () => Promise<void> } | undefined> {
  const { rows } = await db.pool.query('SELECT * FROM fleet_freeze WHERE namespace = $1', [db.namespace]);
  const copy = JSON.stringify(rows);
  async function undo(): Promise<void> {
    await db.pool.query('DELETE FROM fleet_freeze WHERE namespace = $1', [db.namespace]);
    await db.pool.query('INSERT INTO fleet_freeze SELECT * FROM jsonb_populate_recordset(NULL::fleet_freeze, $1)', [
      copy,
    ]);
  }
  for (const task of random.shuffle(tasks)) {
    const one = await spoilOne(db, task, { faults: [FREEZE_IS_GONE], random });
    if (one) return { one, undo };
  }
  return undefined;
}

/** What the ledger itself refuses, it refuses by triggers: who spoils it switches them off. */
export async function switchTriggers(db: Database, to: 'ENABLE' | 'DISABLE'): Promise<void> {
  await administer(db.url, `ALTER TABLE run ${to} TRIGGER USER`);
}

async function spoilOne(
  db: Database,
  task: string,
  { faults, random }: { faults: readonly Fault[]; random: Random },
): Promise<Spoiled | undefined> {
  for (const { what, where, does } of faults) {
    const { rows } = await db.pool.query<{ id: string; scheduled_for: Date }>(
      `SELECT r.id, r.scheduled_for FROM run r JOIN task t ON t.id = r.task_id
       WHERE r.namespace = $1 AND t.name = $2 AND ${IS_SOUND} AND ${where} ORDER BY r.scheduled_for`,
      [db.namespace, task],
    );
    if (rows.length === 0) continue;
    const { id, scheduled_for: at } = random.pick(rows);
    await db.pool.query(`WITH one AS (SELECT $1::uuid AS id) ${does}`, [id]);
    return { task, what: `${what}: ${id} of ${at.toISOString()}` };
  }
  return undefined;
}
