import { EscapementError, type LedgerMove, type QueueBlock } from '@escapement/core';
import { readQueueBlocks } from '../reconcile/queue-blocks.ts';
import { type Database, findStrayedSettings, query } from './database.ts';
import type { SessionSettings } from './session.ts';

/** The settings of a Postgres that decide whether it loses confirmed writes. */
export interface DatabaseReport {
  version: string;
  versionNumber: number;
  fsync: boolean;
  fullPageWrites: boolean;
  /** `off`: a crash loses the last commits that were acknowledged. */
  synchronousCommit: string;
  /** A standby, or a session that may not write. */
  readOnly: boolean;
  /** When Postgres answered, by its clock. */
  now: Date;
  /** Runs that should have begun longer than 10 s ago and wait in no queue. */
  overdue: number;
  /** Tasks whose planning failed and is backing off. */
  planErrors: number;
  /** The first of them by name, and why. */
  unplannable: readonly { name: string; why: string }[];
  pendingDeliveries: number;
  /** Whether Postgres says where the ledger is, so that a restore is noticed. */
  saysPlace: boolean;
  /** When a scheduler last found that the ledger had moved; null: never. */
  movedAt: Date | null;
  movedHow: LedgerMove | null;
  /** What keeps queues from being worked off in Redis. */
  blocked: readonly QueueBlock[];
  /** Settings that sessions were given and do not have, and what they are instead. */
  strayed: SessionSettings;
}

/** Settings, clock and backlog of the database. */
export async function inspectDatabase(db: Database): Promise<DatabaseReport> {
  const [row] = await query<Omit<DatabaseReport, 'strayed' | 'blocked'> & { [column: string]: unknown }>(
    db.pool,
    'inspect_database',
    INSPECT,
    [db.namespace],
  );
  if (!row) throw new EscapementError('no_answer', 'Postgres answered without a row');
  return { ...row, blocked: await readQueueBlocks(db), strayed: await findStrayedSettings(db) };
}

/** A phase by itself: each has an index, and none serves both. */
const overdueIn = (phase: string): string =>
  `(SELECT count(*)::float8 FROM run WHERE namespace = $1 AND phase = '${phase}' AND due_at < now() - interval '10 s')`;

/** Tasks that are named, and not only counted. */
const NAMED = 5;

const INSPECT = `
SELECT current_setting('server_version') AS version,
  current_setting('server_version_num')::integer AS "versionNumber",
  current_setting('fsync')::boolean AS fsync,
  current_setting('full_page_writes')::boolean AS "fullPageWrites",
  current_setting('synchronous_commit') AS "synchronousCommit",
  pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "readOnly",
  clock_timestamp()::timestamptz(3) AS now,
  (SELECT ${overdueIn('untold')} + ${overdueIn('repeating')}) AS overdue,
  (SELECT count(*)::float8 FROM task_plan WHERE namespace = $1 AND plan_error IS NOT NULL) AS "planErrors",
  (SELECT coalesce(jsonb_agg(jsonb_build_object('name', u.name, 'why', u.plan_error)), '[]') FROM (
     SELECT t.name, p.plan_error FROM task_plan p JOIN task t ON t.id = p.task_id
     WHERE p.namespace = $1 AND p.plan_error IS NOT NULL ORDER BY t.name LIMIT ${NAMED}) u) AS unplannable,
  (SELECT count(*)::float8 FROM delivery WHERE namespace = $1 AND state = 'pending' AND tries > 0) AS "pendingDeliveries",
  (SELECT place FROM ledger_place()) IS NOT NULL AS "saysPlace", w.moved_at AS "movedAt", w.moved_how AS "movedHow"
FROM (SELECT $1::text AS namespace) n LEFT JOIN queue_watch w ON w.namespace = n.namespace`;
