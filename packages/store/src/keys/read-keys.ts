import type { RunState } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { ofEachGoingOn } from '../runs/admission.ts';

/** The run that has a slot of a key. */
export interface SlotHolder {
  runId: string;
  /** Null: the run is no longer in the ledger. */
  state: RunState | null;
  taskName: string | null;
  /** Attempts begun; 0: the slot is reserved for it. */
  attempt: number;
  worker: string | null;
  since: Date | null;
}

/** A slot of a key, as the ledger has it. */
export interface KeySlot {
  key: string;
  slot: number;
  /** How many runs the key lets in: the smallest limit of those that hold it; null: no task or open run says so any more. */
  limit: number | null;
  /** Grows with each start on the slot. */
  fence: bigint;
  holder: SlotHolder | null;
  /** Runs that wait for the key. */
  waiting: number;
}

export interface KeyFilter {
  /** Only this key. */
  key?: string;
  /** Only keys with a run in a slot or in the wait queue. */
  busy?: boolean;
  /** At most so many slots. */
  limit: number;
}

interface SlotRow {
  key: string;
  slot: number;
  key_limit: number | null;
  fence: bigint;
  waiting: number;
  run_id: string | null;
  state: RunState | null;
  task_name: string | null;
  attempt: number | null;
  worker: string | null;
  since: Date | null;
}

/** The slots of all keys that ever were in use, by key and slot. */
export async function listKeySlots(db: Database, { key, busy = false, limit }: KeyFilter): Promise<KeySlot[]> {
  const values = [db.namespace, limit, ...(key === undefined ? [] : [key])];
  const name = `list_key_slots${busy ? '_busy' : ''}${key === undefined ? '' : '_of_key'}`;
  // Of all keys the wait queue may be long: it is joined by a hash, which the connections that plan once do not have.
  const pool = key === undefined ? db.pool : db.hot;
  const rows = await query<SlotRow>(pool, name, slotsPicked(key === undefined ? '' : 'AND key = $3', busy), values);
  return rows.map((row) => ({
    key: row.key,
    slot: row.slot,
    limit: row.key_limit,
    fence: row.fence,
    waiting: row.waiting,
    holder: row.run_id === null ? null : { ...toHolder(row), runId: row.run_id },
  }));
}

function toHolder({ state, task_name: taskName, attempt, worker, since }: SlotRow): Omit<SlotHolder, 'runId'> {
  return { state, taskName, attempt: attempt ?? 0, worker, since };
}

const BY_KEY = 'ORDER BY s.key, s.slot LIMIT $2';

/**
 * Those that are held are looked up by the runs that hold them: an index of slots by their run would be written at each begin. One whose
 * run has ended or is gone is not among them; it is freed within seconds.
 */
const BUSY = (ofKey: string): string => `
  SELECT s.* FROM (SELECT key FROM wait_queue UNION SELECT o.key FROM (${ofEachGoingOn(holds(ofKey))} UNION ALL ${[
    'held',
    'unknown',
  ]
    .map((phase) => holds(ofKey)(`r.phase = '${phase}'`))
    .join(' UNION ALL ')}) o) c
  CROSS JOIN LATERAL (SELECT * FROM key_slot s WHERE s.namespace = $1 AND s.key = c.key ORDER BY s.slot LIMIT $2) s
  WHERE s.run_id IS NOT NULL OR EXISTS (SELECT FROM wait_queue w WHERE w.key = s.key) ${BY_KEY}`;

const holds =
  (ofKey: string) =>
  (isOfPhase: string): string =>
    `SELECT r.key FROM run r WHERE r.namespace = $1 ${ofKey} AND ${isOfPhase} AND r.slot IS NOT NULL`;

// The wait queue first, and as a whole: looked up for each slot it would cost a probe of each partition.
const slotsPicked = (ofKey: string, busy: boolean): string => `
WITH wait_queue AS MATERIALIZED (
  SELECT key, count(*)::integer AS waiting, min(key_limit) AS key_limit FROM run
  WHERE namespace = $1 AND phase = 'waiting' ${ofKey} GROUP BY key
), picked AS MATERIALIZED (${busy ? BUSY(ofKey) : `SELECT s.* FROM key_slot s WHERE s.namespace = $1 ${ofKey} ${BY_KEY}`})
SELECT p.key, p.slot, p.fence, p.run_id, r.state, t.name AS task_name, r.attempt, p.worker, p.since, coalesce(l.waiting, 0) AS waiting,
  coalesce(min(r.key_limit) OVER (PARTITION BY p.key), l.key_limit,
    (SELECT max(d.key_limit) FROM task d WHERE d.namespace = p.namespace AND d.key_template = p.key AND d.deleted_at IS NULL)
  ) AS key_limit
FROM picked p
LEFT JOIN wait_queue l ON l.key = p.key
LEFT JOIN run r ON r.id = ANY (ARRAY[p.run_id]) AND r.scheduled_for = p.run_scheduled_for
LEFT JOIN task t ON t.id = r.task_id
ORDER BY p.key, p.slot`;

/** A run that has to do with a key and has no slot of it. */
export interface KeyRun {
  runId: string;
  taskName: string;
  state: RunState;
  scheduledFor: Date;
  worker: string | null;
  startedAt: Date | null;
  blockedBy: string | null;
}

/** The runs in the wait queue for a key, the next first, and those that run without a slot, because their task allows overlap. */
export async function keyRuns(db: Database, key: string, limit: number): Promise<KeyRun[]> {
  return await query<KeyRun & { [column: string]: unknown }>(db.hot, 'key_runs', KEY_RUNS, [db.namespace, key, limit]);
}

const COLUMNS = `r.id AS "runId", t.name AS "taskName", r.state, r.scheduled_for AS "scheduledFor", r.worker,
  r.started_at AS "startedAt", r.blocked_by AS "blockedBy"`;

// Two questions, each for an index of its own.
const KEY_RUNS = `
SELECT * FROM (
  (SELECT ${COLUMNS} FROM run r JOIN task t ON t.id = r.task_id
   WHERE r.namespace = $1 AND r.key = $2 AND r.phase = 'waiting' ORDER BY r.scheduled_for, r.id LIMIT $3)
  UNION ALL
  (SELECT ${COLUMNS} FROM run r JOIN task t ON t.id = r.task_id
   -- Equivalent mutant (predicate removed, r.phase): a run that is running is live: the phase is for the index.
   WHERE r.namespace = $1 AND r.key = $2 AND r.phase = 'live' AND r.state = 'running' AND r.slot IS NULL ORDER BY r.scheduled_for, r.id LIMIT $3)
) runs ORDER BY state DESC, "scheduledFor", "runId" LIMIT $3`;
