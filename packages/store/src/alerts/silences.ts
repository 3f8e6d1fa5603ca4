import type { By } from '@escapement/core';
import { nameIn, noteAction, reasonIn, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';

/** Alerts that match are not told until it ends. */
export interface Silence {
  id: bigint;
  /** Labels of alerts, as a selector. */
  match: string;
  untilAt: Date;
  note: string;
  createdBy: string;
  createdAt: Date;
}

/** The silences in force, the one that ends first first. */
export async function listSilences(db: Database): Promise<Silence[]> {
  return await query<Silence & { [column: string]: unknown }>(
    db.pool,
    'list_silences',
    `SELECT id, match, until_at AS "untilAt", note, created_by AS "createdBy", created_at AS "createdAt" FROM alert_silence
     WHERE namespace = $1 AND until_at > now() ORDER BY until_at, id`,
    [db.namespace],
  );
}

/** Makes a silence, for the reason of the act. */
export async function silenceAlerts(
  db: Database,
  { match, untilAt, by }: { match: string; untilAt: Date; by: By },
): Promise<bigint> {
  const [row] = await query<{ id: bigint }>(db.pool, 'silence_alerts', SILENCE, [
    db.namespace,
    toActing(by),
    match,
    untilAt.toISOString(),
  ]);
  if (!row) throw new TypeError('an INSERT answers with its row');
  return row.id;
}

const SILENCE = `
WITH made AS (
  INSERT INTO alert_silence (namespace, match, until_at, note, created_by)
  VALUES ($1, $3, $4, coalesce(${reasonIn('$2')}, ''), ${nameIn('$2')}) RETURNING id, match, until_at
), noted AS (
  ${noteAction({
    by: '$2',
    action: "'silence'",
    subject: "'alerts:' || m.match",
    detail: "jsonb_build_object('silence', m.id, 'until', m.until_at)",
    from: 'made m',
  })}
)
SELECT id FROM made`;

/** Ends a silence now. False: none of this id is in force. */
export async function unsilenceAlerts(db: Database, { id, by }: { id: bigint; by: By }): Promise<boolean> {
  const rows = await query(db.pool, 'unsilence_alerts', UNSILENCE, [db.namespace, toActing(by), String(id)]);
  return rows.length > 0;
}

const UNSILENCE = `
WITH ended AS (
  UPDATE alert_silence s SET until_at = greatest(now(), s.created_at) WHERE s.namespace = $1 AND s.id = $3 AND s.until_at > now()
  RETURNING s.id, s.match
), noted AS (
  ${noteAction({
    by: '$2',
    action: "'unsilence'",
    subject: "'alerts:' || e.match",
    detail: "jsonb_build_object('silence', e.id)",
    from: 'ended e',
  })}
)
SELECT FROM ended`;
