import { SILENT_COPY_MS } from '@escapement/core';
import { type Database, query } from '../database.ts';

/** Where the rows of a ledger were written, and when it was last worked on. */
export interface LedgerOrigin {
  /** By Postgres' clock. */
  now: Date;
  /** Its rows came by a dump or by logical replication, and nobody has accepted that. Null: no scheduler has ever worked on it. */
  copied: boolean | null;
  /** When somebody last said what is to become of what a copy lacks; null: nobody has. */
  checkedAt: Date | null;
  /** The newest sign of life of a scheduler or worker in it; null: there is none. */
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
  ]);
  if (!row) throw new Error('Postgres answered without a row');
  return row;
}

const IS_COPIED = '(o.xmin::text::bigint <> o.written_in)';

const LEDGER_ORIGIN = `
SELECT now()::timestamptz(3) AS now, ${IS_COPIED} AS copied, o.checked_at AS "checkedAt", s.at AS "lastSignAt",
  coalesce(${IS_COPIED} AND s.at < now() - $2 * interval '1 ms', false) AS unsafe,
  (SELECT marker FROM queue_watch WHERE namespace = $1) AS marker
FROM (SELECT greatest((SELECT max(heartbeat_at) FROM process WHERE namespace = $1),
  (SELECT max(taken_at) FROM cluster_lock WHERE namespace = $1)) AS at) s
LEFT JOIN ledger_origin o ON o.namespace = $1`;

/** Writes down that this ledger is worked on where it is. */
export async function ownLedger(db: Database): Promise<void> {
  await query(db.pool, 'own_ledger', `${ownLedgerBy('NULL')} WHERE ${IS_COPIED}`, [db.namespace]);
}

/** `checkedAt`: an expression, see `LedgerOrigin.checkedAt`; null: it is as it was. */
export const ownLedgerBy = (checkedAt: string): string => `
INSERT INTO ledger_origin AS o (namespace, written_in, checked_at)
VALUES ($1, pg_current_xact_id()::xid::text::bigint, ${checkedAt}::timestamptz)
ON CONFLICT (namespace) DO UPDATE SET written_in = excluded.written_in, checked_at = coalesce(excluded.checked_at, o.checked_at)`;
