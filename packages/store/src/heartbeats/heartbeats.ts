import type { By, HeartbeatSpec, JudgedHeartbeat, Standing } from '@escapement/core';
import { nameIn, noteAct, reasonIn, toActing } from '../audit-row.ts';
import { readEach } from '../data-fault.ts';
import { type Database, query } from '../database.ts';
import {
  HEARTBEAT_COLUMNS,
  type Heartbeat,
  type HeartbeatRow,
  hearingOf,
  JUDGED_COLUMNS,
  SET_STANDING,
  STANDING_INPUT,
  standingOf,
  toHeartbeat,
  toStandingInput,
} from './heartbeat-row.ts';

export interface NewHeartbeat {
  name: string;
  spec: HeartbeatSpec;
  /** SHA-256 of the id in its URL. */
  pingHash: Buffer;
  standing: Standing;
  troubleAt: Date | null;
  by: By;
}

/** Keeps a heartbeat. False: another one has this name. */
export async function insertHeartbeat(db: Database, heartbeat: NewHeartbeat): Promise<boolean> {
  const { name, spec, pingHash, standing, troubleAt, by } = heartbeat;
  const rows = await query(db.pool, 'insert_heartbeat', INSERT_HEARTBEAT, [
    ...[db.namespace, name, pingHash, JSON.stringify(spec)],
    ...[standing.dueAt?.toISOString() ?? null, troubleAt?.toISOString() ?? null, toActing(by)],
  ]);
  return rows.length > 0;
}

const INSERT_HEARTBEAT = `
WITH made AS (
  INSERT INTO heartbeat (namespace, name, ping_hash, definition, due_at, trouble_at, created_by)
  VALUES ($1, $2, $3::bytea, $4::jsonb, $5::timestamptz, $6::timestamptz, ${nameIn('$7')})
  ON CONFLICT (namespace, name) DO NOTHING
  RETURNING id, name, definition
), noted AS (
  ${noteAct({ by: '$7', action: "'create'", subject: "'heartbeat:' || m.name", after: 'm.definition', from: 'made m' })}
)
SELECT id FROM made`;

/** Heartbeats by name, of a page: behind a name. */
export async function listHeartbeats(
  db: Database,
  { after = '', limit }: { after?: string; limit: number },
): Promise<Heartbeat[]> {
  const rows = await query<HeartbeatRow>(
    db.pool,
    'list_heartbeats',
    `SELECT ${HEARTBEAT_COLUMNS} FROM heartbeat h WHERE h.namespace = $1 AND h.name > $2 ORDER BY h.name LIMIT $3`,
    [db.namespace, after, limit],
  );
  return rows.map(toHeartbeat);
}

/** Null: there is none of this name. */
export async function findHeartbeat(db: Database, name: string): Promise<Heartbeat | null> {
  const [row] = await query<HeartbeatRow>(
    db.pool,
    'find_heartbeat',
    `SELECT ${HEARTBEAT_COLUMNS} FROM heartbeat h WHERE h.namespace = $1 AND h.name = $2`,
    [db.namespace, name],
  );
  return row ? toHeartbeat(row) : null;
}

/** What an act makes of a heartbeat. */
export interface HeartbeatChange {
  action: 'edit' | 'pause' | 'resume' | 'new url';
  spec: HeartbeatSpec;
  standing: Standing;
  troubleAt: Date | null;
  /** A pause from now on, for the reason of the act; null: none; `keep`: as it is. */
  pause: { untilAt: Date | null } | null | 'keep';
  /** SHA-256 of the id in its new URL. Default: the URL stays. */
  pingHash?: Buffer;
  by: By;
}

/** Changes a heartbeat that nobody has changed since it was read. False: somebody has, or a ping came; read it again. */
export async function changeHeartbeat(
  db: Database,
  { id, revision }: Pick<Heartbeat, 'id' | 'revision'>,
  { action, spec, standing, troubleAt, pause, pingHash, by }: HeartbeatChange,
): Promise<boolean> {
  const pausing = pause === 'keep' ? 'keep' : pause ? 'pause' : 'none';
  const untilAt = pause === 'keep' ? null : (pause?.untilAt ?? null);
  const rows = await query(db.pool, 'change_heartbeat', CHANGE_HEARTBEAT, [
    ...[db.namespace, id, String(revision), JSON.stringify(spec), toStandingInput(standing, troubleAt)],
    ...[pausing, untilAt?.toISOString() ?? null, pingHash ?? null, action, toActing(by)],
  ]);
  return rows.length > 0;
}

const CHANGE_HEARTBEAT = `
WITH before AS MATERIALIZED (
  SELECT h.id, h.definition FROM heartbeat h WHERE h.namespace = $1 AND h.id = $2 AND h.revision = $3 FOR UPDATE
), changed AS (
  UPDATE heartbeat h SET revision = h.revision + 1, definition = $4::jsonb, ${SET_STANDING},
    paused_at = CASE $6 WHEN 'keep' THEN h.paused_at WHEN 'pause' THEN now() END,
    paused_until = CASE $6 WHEN 'keep' THEN h.paused_until WHEN 'pause' THEN $7::timestamptz END,
    paused_by = CASE $6 WHEN 'keep' THEN h.paused_by WHEN 'pause' THEN ${nameIn('$10')} END,
    pause_note = CASE $6 WHEN 'keep' THEN h.pause_note WHEN 'pause' THEN ${reasonIn('$10')} END,
    ping_hash = coalesce($8::bytea, h.ping_hash)
  FROM before b, ${STANDING_INPUT('$5')}
  WHERE h.namespace = $1 AND h.id = b.id
  RETURNING h.id, h.name, h.definition, h.paused_until, b.definition AS was
), noted AS (
  ${noteAct({
    by: '$10',
    action: '$9::text',
    subject: "'heartbeat:' || c.name",
    detail: `CASE WHEN $9 = 'pause' THEN jsonb_build_object('until', c.paused_until) ELSE '{}' END`,
    before: `CASE WHEN $9 = 'edit' THEN c.was END`,
    after: `CASE WHEN $9 = 'edit' THEN c.definition END`,
    from: 'changed c',
  })}
)
SELECT id FROM changed`;

/** Deletes a heartbeat and its pings. False: there is none of this name. */
export async function deleteHeartbeat(db: Database, name: string, by: By): Promise<boolean> {
  const rows = await query(db.pool, 'delete_heartbeat', DELETE_HEARTBEAT, [db.namespace, name, toActing(by)]);
  return rows.length > 0;
}

const DELETE_HEARTBEAT = `
WITH gone AS (
  DELETE FROM heartbeat h WHERE h.namespace = $1 AND h.name = $2 RETURNING h.id, h.name, h.definition
), pings AS (
  DELETE FROM heartbeat_ping p USING gone g WHERE p.namespace = $1 AND p.heartbeat_id = g.id
), noted AS (
  ${noteAct({ by: '$3', action: "'delete'", subject: "'heartbeat:' || g.name", before: 'g.definition', from: 'gone g' })}
)
SELECT id FROM gone`;

/** A heartbeat that may be in trouble. */
export interface TroubledHeartbeat extends JudgedHeartbeat {
  id: string;
  name: string;
  /** What came with the last failure, if it still fails. */
  lastWords: string | null;
}

/** Heartbeats with which something is wrong at an instant, by name. Those that are well are not read. */
export async function troubledHeartbeats(db: Database, now: Date): Promise<TroubledHeartbeat[]> {
  const rows = await query<HeartbeatRow & { lastWords: string | null }>(
    db.pool,
    'troubled_heartbeats',
    `SELECT ${JUDGED_COLUMNS}, CASE WHEN h.failed_at IS NOT NULL THEN (
       SELECT p.body FROM heartbeat_ping p WHERE p.heartbeat_id = h.id AND p.kind = 'fail' ORDER BY p.seq DESC LIMIT 1
     ) END AS "lastWords" FROM heartbeat h WHERE h.namespace = $1 AND h.trouble_at <= $2::timestamptz ORDER BY h.name`,
    [db.namespace, now.toISOString()],
  );
  return readEach(rows, (row) => {
    const { id, name, definition: spec, pausedAt, pausedUntil: untilAt, lastWords } = row;
    const judged = { spec, standing: standingOf(row), pause: pausedAt && { untilAt }, hearing: hearingOf(row) };
    return { id, name, ...judged, lastWords };
  });
}
