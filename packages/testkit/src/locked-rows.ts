import pg from 'pg';
import { afterFile } from './clean-up.ts';

const LOOK_MS = 2;

/** Rows that a session of the test's own has locked. */
export interface LockedRows {
  /** Resolves once so many sessions wait for them, one behind the other; never, if they are released before. */
  awaited(sessions?: number): Promise<void>;
  /** Ends what the query did, and the locks. */
  release(): Promise<void>;
  /** Keeps what the query did, and ends the locks. */
  commit(): Promise<void>;
}

/** Locks rows by a query: one that ends in FOR UPDATE, or that changes them. */
export async function lockRows(databaseUrl: string, query: string, values: unknown[] = []): Promise<LockedRows> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // Of a database that is dropped before the test has released them.
  client.on('error', () => undefined);
  await client.connect();
  let held = true;
  async function release(): Promise<void> {
    if (!held) return;
    held = false;
    // First: pg cuts the link of a session that is in the midst of a query (`awaited` asks all the time), and Postgres notices that later.
    await client.query('ROLLBACK').catch(() => undefined);
    await client.end();
  }
  afterFile(release);
  await client.query('BEGIN');
  const { rowCount } = await client.query(query, values);
  if (rowCount === 0) throw new Error(`no row to hold: ${query}`);

  async function awaited(sessions = 1): Promise<void> {
    while (held) {
      const { rows } = await client.query<{ waiting: number }>(WAITING);
      if ((rows[0]?.waiting ?? 0) >= sessions) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    await new Promise(() => undefined);
  }

  return {
    awaited,
    release,
    async commit() {
      await client.query('COMMIT');
      await release();
    },
  };
}

const WAITING = `
WITH RECURSIVE stuck AS (SELECT DISTINCT pid, pg_blocking_pids(pid) AS by FROM pg_locks WHERE NOT granted),
behind AS (
  SELECT pid FROM stuck WHERE pg_backend_pid() = ANY (by)
  UNION SELECT s.pid FROM stuck s JOIN behind b ON b.pid = ANY (s.by)
)
SELECT count(*)::integer AS waiting FROM behind`;
