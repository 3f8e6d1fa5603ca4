import type { By, RateLimit } from '@escapement/core';
import { nameIn, noteAction, reasonIn, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { rateHint } from '../postgres/listen.ts';
import { WAKE_CHANNEL } from '../runs/trigger-run.ts';

/** What people say about a pool; what is undefined stays as it is. */
export interface PoolSettings {
  /** How many workers should be alive; null: nobody says. */
  expectedWorkers?: number | null | undefined;
  /** Whether the priorities of tasks count among its runs. */
  priorities?: boolean | undefined;
  /** How many of its runs may start within how long, over all workers; null: as many as can. */
  rate?: PoolRate | null | undefined;
}

/** What is counted together is the pool: it has no key. */
export type PoolRate = Pick<RateLimit, 'limit' | 'perMs'>;

/** Writes down what people say about a pool. A rate counts at once, also for runs that wait for it. */
export async function savePool(db: Database, name: string, settings: PoolSettings, by: By): Promise<void> {
  const { expectedWorkers, priorities, rate } = settings;
  await query(db.pool, 'save_pool', SAVE_POOL, [
    db.namespace,
    name,
    toActing(by),
    JSON.stringify(settings),
    expectedWorkers !== undefined,
    expectedWorkers ?? null,
    priorities ?? null,
    rate !== undefined,
    rate?.limit ?? null,
    rate?.perMs ?? null,
    rateHint(db),
  ]);
}

/** The entry in the audit of what is done to pool $2 by $3. */
const NOTED = (action: string, detail: string, from: string) => `
  ${noteAction({ by: '$3', action: `'${action}'`, subject: "'pool:' || $2::text", detail, from })}`;

const SAVE_POOL = `
WITH saved AS (
  INSERT INTO pool AS p (namespace, name, expected_workers, priorities, rate_limit, rate_per_ms)
  VALUES ($1, $2, $6::integer, coalesce($7::boolean, true), $9::integer, $10::bigint)
  ON CONFLICT (namespace, name) DO UPDATE SET updated_at = now(),
    expected_workers = CASE WHEN $5::boolean THEN $6::integer ELSE p.expected_workers END,
    priorities = coalesce($7::boolean, p.priorities),
    rate_limit = CASE WHEN $8::boolean THEN $9::integer ELSE p.rate_limit END,
    rate_per_ms = CASE WHEN $8::boolean THEN $10::bigint ELSE p.rate_per_ms END
  RETURNING name
), told AS MATERIALIZED (
  SELECT name, CASE WHEN $8::boolean THEN pg_notify('${WAKE_CHANNEL}', $11) END AS told FROM saved
)${NOTED('set', '$4::jsonb', 'told')}`;

/** Pauses a pool from now on, until an instant or until somebody resumes it (null). One that is paused already is so by this from now on. */
export async function pausePool(db: Database, name: string, untilAt: Date | null, by: By): Promise<void> {
  const until = untilAt?.toISOString() ?? null;
  await query(db.pool, 'pause_pool', PAUSE_POOL, [db.namespace, name, toActing(by), until]);
}

// Not rounded to the next millisecond: it would begin after a begin of this moment.
const PAUSE_POOL = `
WITH paused AS (
  INSERT INTO pool (namespace, name, paused_from, paused_until, pause_note, paused_by)
  VALUES ($1, $2, date_trunc('milliseconds', now()), $4::timestamptz, ${reasonIn('$3')}, ${nameIn('$3')})
  ON CONFLICT (namespace, name) DO UPDATE SET paused_from = excluded.paused_from,
    paused_until = excluded.paused_until, pause_note = excluded.pause_note, paused_by = excluded.paused_by, updated_at = now()
  RETURNING paused_until
)${NOTED('pause', `jsonb_build_object('until', paused_until)`, 'paused')}`;

/** Ends the pause of a pool. False: it was not paused. */
export async function resumePool(db: Database, name: string, by: By): Promise<boolean> {
  const rows = await query(db.pool, 'resume_pool', RESUME_POOL, [db.namespace, name, toActing(by)]);
  return rows.length > 0;
}

const RESUME_POOL = `
WITH before AS MATERIALIZED (
  SELECT namespace, name, paused_until FROM pool WHERE namespace = $1 AND name = $2 AND paused_from IS NOT NULL FOR UPDATE
), resumed AS (
  UPDATE pool p SET paused_from = NULL, paused_until = NULL, pause_note = NULL, paused_by = NULL, updated_at = now()
  FROM before b WHERE p.namespace = b.namespace AND p.name = b.name AND (b.paused_until IS NULL OR b.paused_until > now())
  RETURNING p.name
)${NOTED('resume', `'{}'::jsonb`, 'resumed')} RETURNING 1 AS resumed`;
