import pg, { type QueryResultRow } from 'pg';
import { type Database, query } from '../postgres/database.ts';
import { commonPartition } from './known-partitions.ts';

/** Weeks that have a statement of their own at once. */
const MAX_WEEKS = 8;
const UNDEFINED_TABLE = '42P01';
const INSUFFICIENT_PRIVILEGE = '42501';

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
 * five partitions: a third of a begin). `build` is given the table to read and write, and makes the steps: one CTE after the
 * other, of which the one called `last` is the answer.
 */
export function weekStatement<Row extends QueryResultRow>(
  name: string,
  build: (run: string) => string,
): WeekStatement<Row> {
  const ofAnyWeek = { name, text: ledgerFirst(build('run')) };
  const weeks = new Map<string, Statement>();

  function statementOf(week: string): Statement {
    const known = weeks.get(week);
    if (known !== undefined) return known;
    const text = ledgerFirst(build(pg.escapeIdentifier(week)));
    const statement = { name: `${name}_${week}`, text };
    const [oldest] = weeks.keys();
    if (oldest !== undefined && weeks.size >= MAX_WEEKS) weeks.delete(oldest);
    weeks.set(week, statement);
    return statement;
  }

  return async (db, runs, values) => {
    const week = commonPartition(db, runs);
    if (week === undefined) return query<Row>(db.hot, ofAnyWeek.name, ofAnyWeek.text, values);
    const statement = statementOf(week);
    try {
      return await query<Row>(db.hot, statement.name, statement.text, values);
    } catch (error) {
      // Dropped since the catalog was read, or somebody took rights from it: the whole ledger needs those of its table alone.
      if (!isOutOfReach(error)) throw error;
      return query<Row>(db.hot, ofAnyWeek.name, ofAnyWeek.text, values);
    }
  };
}

/**
 * Locks the ledger before its partition, as whoever alters it does. The other way round the two wait for each other, until
 * Postgres ends one of them a second later (`deadlock_timeout`). Postgres locks tables in the order in which it meets them: when
 * it reads a statement in that of the text, when it runs a prepared plan those of the outermost FROM before those of the steps.
 */
function ledgerFirst(steps: string): string {
  return `WITH ledger AS (SELECT FROM run WHERE false), ${steps} SELECT last.* FROM ledger RIGHT JOIN last ON true`;
}

function isOutOfReach(error: unknown): boolean {
  return error instanceof pg.DatabaseError && (error.code === UNDEFINED_TABLE || error.code === INSUFFICIENT_PRIVILEGE);
}
