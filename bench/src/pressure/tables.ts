import type { Database } from '@escapement/store';
import { pause } from '../apps.ts';

const LOOK_MS = 2000;

/** The most dead rows that a look found. */
export interface DeadRows {
  rows: number;
  /** The table that had most of them. */
  table: string;
}

export interface DeadRowWatch {
  /** The most since the last call. */
  take(): DeadRows;
  stop(): Promise<void>;
}

const NONE: DeadRows = { rows: 0, table: '' };

/** Partitions count as their table. */
const TABLE = `coalesce(pg_partition_root(relid), relid)::regclass::text`;

const DEAD_ROWS = `
SELECT ${TABLE} AS table, sum(n_dead_tup)::float8 AS dead FROM pg_stat_user_tables
WHERE n_dead_tup > 0 GROUP BY 1 ORDER BY 2 DESC`;

const SIZES = `
SELECT ${TABLE} AS table, sum(pg_total_relation_size(relid))::float8 AS bytes FROM pg_stat_user_tables GROUP BY 1`;

/** Looks every two seconds, by Postgres' own statistics, which lag behind by a second or so. */
export function watchDeadRows(db: Database): DeadRowWatch {
  let most = NONE;
  let isOver = false;
  const work = (async () => {
    while (!isOver) {
      // Postgres may be away.
      const now = await readDeadRows(db).catch(() => NONE);
      if (now.rows > most.rows) most = now;
      await pause(LOOK_MS);
    }
  })();
  return {
    take() {
      const taken = most;
      most = NONE;
      return taken;
    },
    async stop() {
      isOver = true;
      await work;
    },
  };
}

async function readDeadRows(db: Database): Promise<DeadRows> {
  const { rows } = await db.pool.query<{ table: string; dead: number }>(DEAD_ROWS);
  return { rows: rows.reduce((sum, { dead }) => sum + dead, 0), table: rows[0]?.table ?? '' };
}

/** Bytes by table, with indexes and partitions. */
export async function tableSizes(db: Database): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.pool.query<{ table: string; bytes: number }>(SIZES);
  return new Map(rows.map(({ table, bytes }) => [table, bytes]));
}
