import type { Database } from '@escapement/store';

/**
 * Makes a database whose time can be moved. Escapement asks Postgres for the time by `now()` and `clock_timestamp()`, in all
 * it does; this database has two functions of these names which its sessions find before Postgres' own. Set up before the
 * migrations, so that defaults of columns mean them too.
 */
export const movableTime = (aheadMs: number): string => `
CREATE TABLE public.test_time (ahead interval NOT NULL);
INSERT INTO public.test_time VALUES (${Math.round(aheadMs)} * interval '1 ms');
CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql STABLE AS
  'SELECT pg_catalog.now() + (SELECT ahead FROM public.test_time)';
CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  'SELECT pg_catalog.clock_timestamp() + (SELECT ahead FROM public.test_time)';
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$`;

/** A pattern of what would give Postgres' own time all the same: keywords, and functions that have no twin here. */
export const OTHER_TIMES =
  '\\b(current_(timestamp|time|date)|localtimestamp|localtime|(statement|transaction)_timestamp|timeofday|pg_catalog\\.(now|clock_timestamp))\\b';

/**
 * Puts Postgres' time forward. Heartbeats go along in the same statement: while nobody could send a heartbeat, nobody is dead either.
 * Everything else has been so long ago afterwards.
 */
export async function moveDatabase(db: Database, { aheadMs, byMs }: { aheadMs: number; byMs: number }): Promise<void> {
  await db.pool.query(
    `WITH moved AS (UPDATE public.test_time SET ahead = $1 * interval '1 ms')
     UPDATE process SET beat_at = beat_at + $2 * interval '1 ms', prev_beat_at = prev_beat_at + $2 * interval '1 ms',
       planned_at = planned_at + $2 * interval '1 ms'
     WHERE stopped_at IS NULL`,
    [aheadMs, byMs],
  );
}
