import type { CountedPing, MonitorStatus, PingKind, PingWindow } from '@escapement/core/monitors';
import { type Database, query } from '../postgres/database.ts';
import {
  MONITOR_COLUMNS,
  type Monitor,
  type MonitorRow,
  SET_STATUS,
  STATUS_INPUT,
  toMonitor,
  toStatusInput,
} from './monitor-row.ts';

/** Of a monitor so many pings are kept, the latest ones. */
export const KEPT_PINGS = 1000;

/** The monitor that a URL pings. Null: there is none in the namespace. */
export async function monitorOfPing(db: Database, pingHash: Buffer): Promise<Monitor | null> {
  const [row] = await query<MonitorRow>(
    db.pool,
    'monitor_of_ping',
    `SELECT ${MONITOR_COLUMNS} FROM monitor h WHERE h.namespace = $1 AND h.ping_hash = $2::bytea`,
    [db.namespace, pingHash],
  );
  return row ? toMonitor(row) : null;
}

/** A ping to keep, and what it makes of its monitor. */
export interface NewPing extends Omit<CountedPing, 'at'> {
  at: Date;
  durationMs: number | null;
  method: string;
  address: string | null;
  body: string | null;
  bodyBytes: number;
  status: MonitorStatus;
  troubleAt: Date | null;
  window: PingWindow;
}

/** Keeps a ping, and forgets the oldest. False: the monitor has changed since it was read; read it again. */
export async function recordPing(
  db: Database,
  { id, revision }: Pick<Monitor, 'id' | 'revision'>,
  ping: NewPing,
): Promise<boolean> {
  const { at, kind, exitStatus, rid, durationMs, method, address, body, bodyBytes, window } = ping;
  const rows = await query(db.pool, 'record_ping', RECORD_PING, [
    ...[db.namespace, id, String(revision), toStatusInput(ping.status, ping.troubleAt)],
    ...[at.toISOString(), kind, exitStatus, rid, durationMs, method, address, body, bodyBytes],
    ...[window.since.toISOString(), window.pings],
  ]);
  return rows.length > 0;
}

const RECORD_PING = `
WITH counted AS (
  UPDATE monitor h SET revision = h.revision + 1, pings = h.pings + 1, ${SET_STATUS}, window_since = $14::timestamptz,
    window_pings = $15::integer
  FROM ${STATUS_INPUT('$4')}
  WHERE h.namespace = $1 AND h.id = $2 AND h.revision = $3
  RETURNING h.id, h.pings
), kept AS (
  INSERT INTO monitor_ping (namespace, monitor_id, seq, at, kind, exit_status, rid, duration_ms, method, address, body, body_bytes)
  SELECT $1, c.id, c.pings, $5::timestamptz, $6, $7::integer, $8, $9::bigint, $10, $11, $12, $13::integer FROM counted c
), forgotten AS (
  DELETE FROM monitor_ping p USING counted c
  WHERE p.namespace = $1 AND p.monitor_id = c.id AND p.seq <= c.pings - ${KEPT_PINGS}
)
SELECT id FROM counted`;

/** A ping, as people look at it. */
export interface PingView {
  /** Counted for each monitor, from 1. */
  seq: number;
  at: Date;
  kind: PingKind;
  exitStatus: number | null;
  rid: string | null;
  durationMs: number | null;
  method: string;
  address: string | null;
  /** Its first bytes, masked. Null: nothing came with it. */
  body: string | null;
  bodyBytes: number;
}

/** The latest pings of a monitor that are kept, the last one first; before one of them, where that is said. */
export async function monitorPings(
  db: Database,
  name: string,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<PingView[]> {
  return await query<PingView & { [column: string]: unknown }>(
    db.pool,
    'monitor_pings',
    `SELECT p.seq::float8 AS seq, p.at, p.kind, p.exit_status AS "exitStatus", p.rid, p.duration_ms::float8 AS "durationMs", p.method, p.address, p.body,
       p.body_bytes AS "bodyBytes"
     FROM monitor h JOIN monitor_ping p ON p.monitor_id = h.id
     WHERE h.namespace = $1 AND h.name = $2 AND ($3::bigint IS NULL OR p.seq < $3) ORDER BY p.seq DESC LIMIT $4`,
    [db.namespace, name, before ?? null, limit],
  );
}
