import { DAY, systemClock } from '@escapement/core';
import pg, { type QueryResultRow } from 'pg';
import { type Database, query } from '../database.ts';
import { PARTITIONED, partitionOf } from './partition-of.ts';

const [RUN_TABLE] = PARTITIONED.filter(({ table }) => table === 'run');
/** Only runs of about now have statements of their own: each connection keeps the plan of each statement. */
const NEAR_MS = 8 * DAY;
const MAX_WEEKS = 8;
const UNDEFINED_TABLE = '42P01';

interface Statement {
  /** Under which it is prepared. */
  name: string;
  text: string;
}

/** Runs a statement for these runs on the hot pool. */
type WeekStatement<Row> = (
  db: Database,
  runs: readonly { scheduledFor: Date }[],
  values: readonly unknown[],
) => Promise<Row[]>;

/**
 * A statement that joins runs by id and time. Where all runs of a call are of one week, it names that week's partition: a
 * plan for the whole ledger makes all its partitions ready each time it is started, those of months ago too (measured with
 * five partitions: a third of a begin). `build` is given the table to read and write.
 */
export function weekStatement<Row extends QueryResultRow>(
  name: string,
  build: (run: string) => string,
): WeekStatement<Row> {
  const ofAnyWeek = { name, text: build('run') };
  const weeks = new Map<string, Statement>();

  function statementOf(week: string): Statement {
    const known = weeks.get(week);
    if (known !== undefined) return known;
    const statement = { name: `${name}_${week}`, text: build(week) };
    const [oldest] = weeks.keys();
    if (oldest !== undefined && weeks.size >= MAX_WEEKS) weeks.delete(oldest);
    weeks.set(week, statement);
    return statement;
  }

  return async (db, runs, values) => {
    const week = commonWeek(runs);
    if (week === undefined) return query<Row>(db.hot, ofAnyWeek.name, ofAnyWeek.text, values);
    const { name: preparedName, text } = statementOf(week);
    try {
      return await query<Row>(db.hot, preparedName, text, values);
    } catch (error) {
      if (!isMissingTable(error)) throw error;
      // Runs from before the oldest week have no partition of that name.
      weeks.set(week, ofAnyWeek);
      return query<Row>(db.hot, ofAnyWeek.name, ofAnyWeek.text, values);
    }
  };
}

function isMissingTable(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === UNDEFINED_TABLE;
}

/** The partition of all these runs; undefined: they are of several weeks, or of one far from now. */
function commonWeek(runs: readonly { scheduledFor: Date }[]): string | undefined {
  const [first] = runs;
  if (first === undefined || RUN_TABLE === undefined) return undefined;
  const week = partitionOf(RUN_TABLE, first.scheduledFor);
  const [from, to, now] = [week.from.getTime(), week.to.getTime(), systemClock.now().getTime()];
  if (now < from - NEAR_MS || now >= to + NEAR_MS) return undefined;
  const isWithin = ({ scheduledFor }: { scheduledFor: Date }) =>
    scheduledFor.getTime() >= from && scheduledFor.getTime() < to;
  return runs.every(isWithin) ? week.name : undefined;
}
