import { DAY, SECOND, systemClock } from '@escapement/core';
import { type Database, PARTITIONED, partitionOf } from '@escapement/store';

const BATCH = 100_000;
/** Of the tasks that runs are of. */
export const LEDGER_TASKS = 1000;
/** Each task has so many keys. */
export const KEYS_PER_TASK = 10;
const [RUN_TABLE] = PARTITIONED.filter(({ table }) => table === 'run');

export interface Span {
  from: Date;
  to: Date;
  count: number;
  /** So many tasks have them, `bench-0` and on. Default: `LEDGER_TASKS`. */
  tasks?: number;
}

/**
 * Puts ended runs into the ledger, evenly spread over a span and over the tasks: 95 % succeeded, 3 % failed, the rest was
 * skipped or missed; what failed has one of five errors. Without its triggers: what they do is for runs that live.
 */
export async function fillLedger(db: Database, { from, to, count, tasks = LEDGER_TASKS }: Span): Promise<void> {
  await makePartitions(db, from, to);
  const startedMs = systemClock.monotonicMs();
  const link = await db.pool.connect();
  try {
    await link.query('SET session_replication_role = replica');
    for (let first = 0; first < count; first += BATCH) {
      const last = Math.min(first + BATCH, count) - 1;
      await link.query(FILL, [from.getTime(), (to.getTime() - from.getTime()) / count, first, last, tasks]);
    }
    await link.query('RESET session_replication_role');
  } finally {
    link.release();
  }
  const seconds = (systemClock.monotonicMs() - startedMs) / SECOND;
  process.stdout.write(
    `${count} runs from ${from.toISOString().slice(0, 10)} on, inserted in ${seconds.toFixed(0)} s\n`,
  );
}

/** Of the past: the product makes those of the present and of the future. The oldest week must have nothing before it. */
async function makePartitions(db: Database, from: Date, to: Date): Promise<void> {
  if (!RUN_TABLE) throw new Error('the ledger has no partitions');
  const first = partitionOf(RUN_TABLE, from).from.toISOString();
  const { rows } = await db.pool.query('SELECT FROM partitions_of($1) WHERE from_at IS NULL AND to_at > $2', [
    'run',
    first,
  ]);
  if (rows.length > 0)
    await db.pool.query(`ALTER TABLE run DETACH PARTITION run_old;
      ALTER TABLE run ATTACH PARTITION run_old FOR VALUES FROM (MINVALUE) TO ('${first}')`);
  for (let ms = from.getTime(); ; ms += RUN_TABLE.days * DAY) {
    await db.pool.query('SELECT make_partition($1, $2)', [
      'run',
      new Date(Math.min(ms, to.getTime() - 1)).toISOString(),
    ]);
    if (ms >= to.getTime() - 1) return;
  }
}

/** The number of a task walks through all of them, in an order that is not that of time. */
const FILL = `
INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, dispatch, attempt, key,
  key_limit, overlap, pool, need, due_at, started_at, finished_at, worker, error)
SELECT (lpad(to_hex(i.ms), 12, '0') || '7' || substr(md5(i.n::text), 1, 3) || '8' || substr(md5(i.n::text), 4, 15))::uuid,
  i.at, t.namespace, t.id, 1, t.plan_epoch, 'schedule', i.state, CASE i.state WHEN 'succeeded' THEN NULL ELSE 'as filled in' END,
  1, CASE WHEN i.state IN ('succeeded', 'failed') THEN 1 ELSE 0 END, t.name || ':' || i.n / $5::bigint % ${KEYS_PER_TASK},
  1, t.overlap, t.pool, t.need, i.at, CASE WHEN i.state IN ('succeeded', 'failed') THEN i.at END, i.at + interval '1 s', 'filler',
  CASE WHEN i.state = 'failed' THEN jsonb_build_object('name', 'Error', 'message', (ARRAY['connect ETIMEDOUT 10.0.0.' || i.n % 250 || ':5432',
    'no such order ' || i.n, 'socket hang up', 'exit code 1', 'ENOSPC: no space left on device'])[1 + i.n / 100 % 5],
    'stack', 'Error: see message' || chr(10) || '    at work (/app/tasks/work-' || i.n / 100 % 5 || '.js:12:7)') END
FROM (
  SELECT g.n, g.ms, to_timestamp(g.ms / 1000.0) AS at, CASE WHEN g.n % 100 < 95 THEN 'succeeded' WHEN g.n % 100 < 98 THEN 'failed'
    WHEN g.n % 100 = 98 THEN 'skipped' ELSE 'missed' END AS state
  FROM (SELECT n, ($1::float8 + n * $2::float8)::bigint AS ms FROM generate_series($3::bigint, $4::bigint) AS n) AS g
) AS i JOIN task t ON t.name = 'bench-' || (i.n * 7919 % $5::bigint)`;
