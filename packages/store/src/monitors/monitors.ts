import type { By } from '@escapement/core';
import type { JudgedMonitor, MonitorSpec, MonitorStatus } from '@escapement/core/monitors';
import { nameIn, noteAction, reasonIn, toActing } from '../audit-row.ts';
import { readEach } from '../postgres/data-fault.ts';
import { type Database, query } from '../postgres/database.ts';
import {
  JUDGED_COLUMNS,
  MONITOR_COLUMNS,
  type Monitor,
  type MonitorRow,
  monitorStatusOf,
  pingIntakeOf,
  SET_STATUS,
  STATUS_INPUT,
  toMonitor,
  toStatusInput,
} from './monitor-row.ts';

export interface NewMonitor {
  name: string;
  spec: MonitorSpec;
  /** SHA-256 of the id in its URL. */
  pingHash: Buffer;
  status: MonitorStatus;
  troubleAt: Date | null;
  by: By;
}

/** Keeps a monitor. False: another one has this name. */
export async function insertMonitor(db: Database, monitor: NewMonitor): Promise<boolean> {
  const { name, spec, pingHash, status, troubleAt, by } = monitor;
  const rows = await query(db.pool, 'insert_monitor', INSERT_MONITOR, [
    ...[db.namespace, name, pingHash, JSON.stringify(spec)],
    ...[status.dueAt?.toISOString() ?? null, troubleAt?.toISOString() ?? null, toActing(by)],
  ]);
  return rows.length > 0;
}

const INSERT_MONITOR = `
WITH made AS (
  INSERT INTO monitor (namespace, name, ping_hash, definition, due_at, trouble_at, created_by)
  VALUES ($1, $2, $3::bytea, $4::jsonb, $5::timestamptz, $6::timestamptz, ${nameIn('$7')})
  ON CONFLICT (namespace, name) DO NOTHING
  RETURNING id, name, definition
), noted AS (
  ${noteAction({ by: '$7', action: "'create'", subject: "'monitor:' || m.name", after: 'm.definition', from: 'made m' })}
)
SELECT id FROM made`;

/** Monitors by name, of a page: behind a name. */
export async function listMonitors(
  db: Database,
  { after = '', limit }: { after?: string; limit: number },
): Promise<Monitor[]> {
  const rows = await query<MonitorRow>(
    db.pool,
    'list_monitors',
    `SELECT ${MONITOR_COLUMNS} FROM monitor h WHERE h.namespace = $1 AND h.name > $2 ORDER BY h.name LIMIT $3`,
    [db.namespace, after, limit],
  );
  return rows.map(toMonitor);
}

/** Null: there is none of this name. */
export async function findMonitor(db: Database, name: string): Promise<Monitor | null> {
  const [row] = await query<MonitorRow>(
    db.pool,
    'find_monitor',
    `SELECT ${MONITOR_COLUMNS} FROM monitor h WHERE h.namespace = $1 AND h.name = $2`,
    [db.namespace, name],
  );
  return row ? toMonitor(row) : null;
}

/** What an act makes of a monitor. */
export interface MonitorChange {
  action: 'edit' | 'pause' | 'resume' | 'new url';
  spec: MonitorSpec;
  status: MonitorStatus;
  troubleAt: Date | null;
  /** A pause from now on, for the reason of the act; null: none; `keep`: as it is. */
  pause: { untilAt: Date | null } | null | 'keep';
  /** SHA-256 of the id in its new URL. Default: the URL stays. */
  pingHash?: Buffer;
  by: By;
}

/** Changes a monitor that nobody has changed since it was read. False: somebody has, or a ping came; read it again. */
export async function changeMonitor(
  db: Database,
  { id, revision }: Pick<Monitor, 'id' | 'revision'>,
  { action, spec, status, troubleAt, pause, pingHash, by }: MonitorChange,
): Promise<boolean> {
  const pausing = pause === 'keep' ? 'keep' : pause ? 'pause' : 'none';
  const untilAt = pause === 'keep' ? null : (pause?.untilAt ?? null);
  const rows = await query(db.pool, 'change_monitor', CHANGE_MONITOR, [
    ...[db.namespace, id, String(revision), JSON.stringify(spec), toStatusInput(status, troubleAt)],
    ...[pausing, untilAt?.toISOString() ?? null, pingHash ?? null, action, toActing(by)],
  ]);
  return rows.length > 0;
}

const CHANGE_MONITOR = `
WITH before AS MATERIALIZED (
  SELECT h.id, h.definition FROM monitor h WHERE h.namespace = $1 AND h.id = $2 AND h.revision = $3 FOR UPDATE
), changed AS (
  UPDATE monitor h SET revision = h.revision + 1, definition = $4::jsonb, ${SET_STATUS},
    paused_at = CASE $6 WHEN 'keep' THEN h.paused_at WHEN 'pause' THEN now() END,
    paused_until = CASE $6 WHEN 'keep' THEN h.paused_until WHEN 'pause' THEN $7::timestamptz END,
    paused_by = CASE $6 WHEN 'keep' THEN h.paused_by WHEN 'pause' THEN ${nameIn('$10')} END,
    pause_note = CASE $6 WHEN 'keep' THEN h.pause_note WHEN 'pause' THEN ${reasonIn('$10')} END,
    ping_hash = coalesce($8::bytea, h.ping_hash)
  FROM before b, ${STATUS_INPUT('$5')}
  WHERE h.namespace = $1 AND h.id = b.id
  RETURNING h.id, h.name, h.definition, h.paused_until, b.definition AS was
), noted AS (
  ${noteAction({
    by: '$10',
    action: '$9::text',
    subject: "'monitor:' || c.name",
    detail: `CASE WHEN $9 = 'pause' THEN jsonb_build_object('until', c.paused_until) ELSE '{}' END`,
    before: `CASE WHEN $9 = 'edit' THEN c.was END`,
    after: `CASE WHEN $9 = 'edit' THEN c.definition END`,
    from: 'changed c',
  })}
)
SELECT id FROM changed`;

/** Deletes a monitor and its pings. False: there is none of this name. */
export async function deleteMonitor(db: Database, name: string, by: By): Promise<boolean> {
  const rows = await query(db.pool, 'delete_monitor', DELETE_MONITOR, [db.namespace, name, toActing(by)]);
  return rows.length > 0;
}

const DELETE_MONITOR = `
WITH gone AS (
  DELETE FROM monitor h WHERE h.namespace = $1 AND h.name = $2 RETURNING h.id, h.name, h.definition
), pings AS (
  DELETE FROM monitor_ping p USING gone g WHERE p.namespace = $1 AND p.monitor_id = g.id
), noted AS (
  ${noteAction({ by: '$3', action: "'delete'", subject: "'monitor:' || g.name", before: 'g.definition', from: 'gone g' })}
)
SELECT id FROM gone`;

/** A monitor that may be in trouble. */
export interface TroubledMonitor extends JudgedMonitor {
  id: string;
  name: string;
  /** What came with the last failure, if it still fails. */
  lastWords: string | null;
}

/** Monitors with which something is wrong at an instant, by name. Those that are well are not read. */
export async function troubledMonitors(db: Database, now: Date): Promise<TroubledMonitor[]> {
  const rows = await query<MonitorRow & { lastWords: string | null }>(
    db.pool,
    'troubled_monitors',
    `SELECT ${JUDGED_COLUMNS}, CASE WHEN h.failed_at IS NOT NULL THEN (
       SELECT p.body FROM monitor_ping p WHERE p.monitor_id = h.id AND p.kind = 'fail' ORDER BY p.seq DESC LIMIT 1
     ) END AS "lastWords" FROM monitor h WHERE h.namespace = $1 AND h.trouble_at <= $2::timestamptz ORDER BY h.name`,
    [db.namespace, now.toISOString()],
  );
  return readEach(rows, (row) => {
    const { id, name, definition: spec, pausedAt, pausedUntil: untilAt, lastWords } = row;
    const judged = { spec, status: monitorStatusOf(row), pause: pausedAt && { untilAt }, intake: pingIntakeOf(row) };
    return { id, name, ...judged, lastWords };
  });
}
