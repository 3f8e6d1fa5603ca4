import { MINUTE, SECOND } from '@escapement/core';
import { type Database, ensurePartitions, migrate, openDatabase } from '@escapement/store';
import { administer, testDatabase } from '@escapement/testkit';

/** As a fleet under test has it (docs/decisions/0016), but time stands still: the same seed finds the same instants again. */
const HELD_TIME = `
CREATE TABLE public.test_time (at timestamptz NOT NULL);
INSERT INTO public.test_time VALUES (pg_catalog.now());
CREATE FUNCTION public.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM public.test_time';
CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT at FROM public.test_time';
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$`;

const AHEAD_DAYS = 14;
/** So long before their end new partitions are made. */
const SPARE_MS = 24 * 60 * MINUTE;

const START = new Date('2027-03-01T00:00:00Z');

/** A Postgres whose time stands still, but when it is put forward. */
export interface HeldDatabase {
  now(): Date;
  /** Whole milliseconds. */
  moveTo(at: Date): Promise<void>;
  /** A fleet of its own in there. */
  open(namespace: string): Database;
  close(): Promise<void>;
}

export async function heldDatabase(): Promise<HeldDatabase> {
  const { url } = await testDatabase({ empty: true });
  await administer(url, HELD_TIME);
  await administer(url, `UPDATE public.test_time SET at = '${START.toISOString()}'`);
  await migrate(url);
  const clock = openDatabase({ url, applicationName: 'clock', connections: 1 });
  const opened: Database[] = [clock];
  let now = START;
  let partitionsUntilMs = START.getTime();

  async function moveTo(at: Date): Promise<void> {
    if (at.getTime() > partitionsUntilMs - SPARE_MS) {
      await ensurePartitions(clock, at, AHEAD_DAYS);
      partitionsUntilMs = at.getTime() + AHEAD_DAYS * 24 * 60 * MINUTE;
    }
    await clock.pool.query('UPDATE public.test_time SET at = $1', [at]);
    now = at;
  }

  await moveTo(new Date(START.getTime() + 1 * SECOND));
  return {
    now: () => now,
    moveTo,
    open(namespace) {
      const db = openDatabase({ url, namespace, applicationName: 'history', connections: 2 });
      opened.push(db);
      return db;
    },
    async close() {
      await Promise.all(opened.map((db) => db.close()));
    },
  };
}
