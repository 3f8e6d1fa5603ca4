import { SILENT_COPY_MS } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';

/** Between two signs of life of schedulers in a ledger. Milliseconds. */
export const ALIVE_MS = 10_000;

/** Where the rows of a ledger were written, and when it was last worked on. */
export interface LedgerOrigin {
  /** By Postgres' clock. */
  now: Date;
  /** Its rows came by a dump or by logical replication, and nobody has accepted that. Null: no scheduler has ever worked on it. */
  copied: boolean | null;
  /** When somebody last said what is to become of what a copy lacks; null: nobody has. */
  checkedAt: Date | null;
  /** The newest sign of life in it of a scheduler or worker that worked on what it is a copy of; null: there is none. */
  lastSignAt: Date | null;
  /** What was left in Redis last, as this ledger knows; null: nothing. */
  marker: string | null;
  /** A copy that nobody has accepted, and that nobody had worked on for a while: who works on it does again what it lacks. */
  unsafe: boolean;
}

/**
 * A row keeps the number of the transaction that wrote it. That a copy of files, a standby or pg_upgrade leaves as it is; who writes the
 * row anew, as pg_restore does, gives it another one. No right is needed to ask.
 */
export async function ledgerOrigin(db: Database): Promise<LedgerOrigin> {
  const [row] = await query<LedgerOrigin & { [column: string]: unknown }>(db.pool, 'ledger_origin', LEDGER_ORIGIN, [
    db.namespace,
    SILENT_COPY_MS,
    SIGN_GAP_MS,
  ]);
  if (!row) throw new Error('Postgres answered without a row');
  return row;
}

const IS_COPIED = '(o.xmin::text::bigint <> o.written_in)';

/** Whether the copy `o` had been silent for `silentMs` since its sign of life `signAt`; both are expressions. */
export const isUnsafeCopy = (signAt: string, silentMs: string): string =>
  `(${IS_COPIED} AND ${signAt} < now() - ${silentMs} * interval '1 ms')`;

/** A heartbeat follows the sign of life of a scheduler by no more than this. One that is younger is of a program that lives on. Milliseconds. */
const SIGN_GAP_MS = 15_000;

// A copy has the heartbeats of programs that were not stopped before it was restored under them. `alive_at` is written by nobody there.
const LEDGER_ORIGIN = `
SELECT now()::timestamptz(3) AS now, ${IS_COPIED} AS copied, o.checked_at AS "checkedAt",
  CASE WHEN ${IS_COPIED} AND s.at > o.alive_at + $3 * interval '1 ms' THEN o.alive_at ELSE s.at END AS "lastSignAt",
  coalesce(${isUnsafeCopy('coalesce(o.alive_at, s.at)', '$2')}, false) AS unsafe,
  (SELECT nullif(marker, '') FROM queue_watch WHERE namespace = $1) AS marker
FROM (SELECT greatest((SELECT max(heartbeat_at) FROM process WHERE namespace = $1),
  (SELECT max(taken_at) FROM cluster_lock WHERE namespace = $1)) AS at) s
LEFT JOIN ledger_origin o ON o.namespace = $1`;

/** Writes down that this ledger is worked on where it is. */
export async function ownLedger(db: Database): Promise<void> {
  await query(db.pool, 'own_ledger', `${ownLedgerBy('NULL')} WHERE ${IS_COPIED}`, [db.namespace]);
}

/** `checkedAt`: an expression, see `LedgerOrigin.checkedAt`; null: it is as it was. */
export const ownLedgerBy = (checkedAt: string): string => `
INSERT INTO ledger_origin AS o (namespace, written_in, checked_at, alive_at)
VALUES ($1, pg_current_xact_id()::xid::text::bigint, ${checkedAt}::timestamptz, now())
ON CONFLICT (namespace) DO UPDATE SET written_in = excluded.written_in, alive_at = excluded.alive_at,
  checked_at = coalesce(excluded.checked_at, o.checked_at)`;

/**
 * Says that a scheduler works on this ledger, also where it has just moved by logical replication. Not where it is a copy of a while ago that
 * nobody has accepted. Two that say it at once wait for each other.
 */
export async function noteAlive(db: Database): Promise<void> {
  await query(
    db.pool,
    'note_alive',
    `UPDATE ledger_origin o SET alive_at = now(), written_in = pg_current_xact_id()::xid::text::bigint
     WHERE o.namespace = $1 AND CASE WHEN ${IS_COPIED} THEN o.alive_at >= now() - $3 * interval '1 ms'
       ELSE o.alive_at IS NULL OR o.alive_at < now() - $2 * interval '1 ms' END`,
    [db.namespace, ALIVE_MS / 2, SILENT_COPY_MS],
  );
}
