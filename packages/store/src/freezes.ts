import type { By } from '@escapement/core';
import { nameIn, noteAction, reasonIn, toActing } from './audit-row.ts';
import { type Database, query } from './postgres/database.ts';
import { covers } from './runs/admission.ts';
import { WAKE_CHANNEL } from './runs/trigger-run.ts';

/** A time in which no occurrence of any task starts. */
export interface Freeze {
  fromAt: Date;
  /** Null: until somebody ends it. */
  untilAt: Date | null;
  note: string;
  createdBy: string;
}

/** The freeze in force; null: there is none. */
export async function readFreeze(db: Database): Promise<Freeze | null> {
  const [row] = await query<Freeze & { [column: string]: unknown }>(
    db.pool,
    'read_freeze',
    `SELECT z.from_at AS "fromAt", z.until_at AS "untilAt", z.note, z.created_by AS "createdBy" FROM fleet_freeze z
     WHERE z.namespace = $1 AND ${covers('z', 'now()')} ORDER BY z.from_at DESC LIMIT 1`,
    [db.namespace],
  );
  return row ?? null;
}

/** Freezes all tasks from now on, for the reason of the act, and tells the schedulers. It takes the place of the freeze in force. */
export async function freezeFleet(db: Database, untilAt: Date | null, by: By): Promise<void> {
  await query(db.pool, 'freeze_fleet', FREEZE, [
    db.namespace,
    toActing(by),
    WAKE_CHANNEL,
    untilAt?.toISOString() ?? null,
  ]);
}

const END = `UPDATE fleet_freeze z SET until_at = greatest(z.from_at, date_trunc('milliseconds', now()))
  WHERE z.namespace = $1 AND ${covers('z', 'now()')}`;

// Not rounded to the next millisecond: it would begin after a begin of this moment.
const FREEZE = `
WITH ended AS (${END}), frozen AS (
  INSERT INTO fleet_freeze (namespace, from_at, until_at, note, created_by)
  VALUES ($1, date_trunc('milliseconds', now()), $4::timestamptz, coalesce(${reasonIn('$2')}, ''), ${nameIn('$2')})
  RETURNING until_at
), noted AS (
  ${noteAction({
    by: '$2',
    action: "'freeze'",
    subject: "'namespace:' || $1::text",
    detail: "jsonb_build_object('until', until_at)",
    from: 'frozen',
  })}
)
SELECT pg_notify($3, $1) FROM frozen`;

/** Ends the freeze. False: there was none. */
export async function unfreezeFleet(db: Database, by: By): Promise<boolean> {
  const rows = await query(db.pool, 'unfreeze_fleet', UNFREEZE, [db.namespace, toActing(by), WAKE_CHANNEL]);
  return rows.length > 0;
}

const UNFREEZE = `
WITH ended AS (${END} RETURNING z.namespace), noted AS (
  ${noteAction({
    by: '$2',
    action: "'unfreeze'",
    subject: "'namespace:' || $1::text",
    from: '(SELECT FROM ended LIMIT 1) e',
  })}
)
SELECT pg_notify($3, $1) FROM ended LIMIT 1`;
