import type { Principal } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** The run that a key stands for. */
export interface TriggerKey {
  /** The id of the run, or what those on several workers are made of. */
  runId: string;
  scheduledFor: Date;
  /** Of what was asked for with it. */
  digest: string;
}

/** Who gives it, and which. */
export interface GivenKey {
  principal: Principal;
  key: string;
}

/** Keeps what a key of a principal stands for, unless it stands for something already. Returns what it stands for. */
export async function keepTriggerKey(
  db: Database,
  { principal, key }: GivenKey,
  { runId, scheduledFor, digest }: TriggerKey,
): Promise<TriggerKey> {
  const values = [db.namespace, principal.kind, principal.id, key];
  await query(
    db.pool,
    'keep_trigger_key',
    `INSERT INTO trigger_key (namespace, principal_kind, principal_id, key, run_id, scheduled_for, digest)
     VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
    [...values, runId, scheduledFor.toISOString(), digest],
  );
  // By a statement of its own: one that lost the race sees what the other has committed.
  const [row] = await query<{ run_id: string; scheduled_for: Date; digest: string }>(
    db.pool,
    'read_trigger_key',
    `SELECT run_id, scheduled_for, digest FROM trigger_key WHERE namespace = $1 AND principal_kind = $2 AND principal_id = $3 AND key = $4`,
    values,
  );
  return row
    ? { runId: row.run_id, scheduledFor: row.scheduled_for, digest: row.digest }
    : { runId, scheduledFor, digest };
}
