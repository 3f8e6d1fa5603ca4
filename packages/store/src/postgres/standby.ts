import { type Database, query } from './database.ts';

// Both looks go before each read: they have a connection of their own, and do not wait for lists that are long under way.

/** How much of its log a primary has safely written: whatever was committed before the question is in it. */
export async function logPosition(db: Database): Promise<string> {
  const [row] = await query<{ lsn: string }>(
    db.pulse,
    'log_position',
    'SELECT pg_current_wal_flush_lsn()::text AS lsn',
  );
  if (!row) throw new Error('Postgres answered without a row');
  return row.lsn;
}

/** Whether a standby shows all up to that position of its primary's log. */
export async function hasReplayed(standby: Database, lsn: string): Promise<boolean> {
  const [row] = await query<{ yes: boolean | null }>(
    standby.pulse,
    'has_replayed',
    'SELECT pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::pg_lsn AS yes',
    [lsn],
  );
  return row?.yes === true;
}

/**
 * Why a server may not be read in place of the primary; null: it is a standby of this very ledger, on the timeline on which the
 * primary writes. After a fail-over, a standby says that it has followed by its next restart point, some minutes later.
 */
export async function whyNotStandbyOf(primary: Database, standby: Database): Promise<string | null> {
  const [[here], [there]] = await Promise.all([
    query<{ place: string | null }>(primary.pool, 'place_of_primary', 'SELECT place FROM ledger_place()'),
    query<{ recovers: boolean; place: string }>(standby.pool, 'place_of_standby', PLACE_OF_STANDBY),
  ]);
  if (!there?.recovers) return 'it is no standby: it can be written to';
  if (!here?.place) return 'the primary does not say which cluster it is (pg_control_system)';
  if (here.place !== there.place) return 'it follows another cluster, is another database, or is on another timeline';
  return null;
}

// As `ledger_place` says it of a primary: its functions of the log fail during recovery.
const PLACE_OF_STANDBY = `
SELECT pg_is_in_recovery() AS recovers, concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
  (SELECT lpad(upper(to_hex(timeline_id)), 8, '0') FROM pg_control_checkpoint()),
  (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()) || '.' || to_regclass('queue_watch')::oid) AS place`;
