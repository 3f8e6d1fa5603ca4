import { makeWeeks } from './history.ts';
import type { Link } from './shape.ts';

/** What both tables have. */
const COMMON = `id uuid NOT NULL, scheduled_for timestamptz(3) NOT NULL, namespace text NOT NULL, task_id uuid NOT NULL,
  task_version integer NOT NULL, plan_epoch integer NOT NULL, origin text NOT NULL, state text NOT NULL, reason text, key text NOT NULL,
  own_key boolean NOT NULL DEFAULT false, key_limit integer NOT NULL, overlap text NOT NULL, pool text NOT NULL, need text,
  due_at timestamptz(3) NOT NULL, start_by timestamptz(3), misfire_at timestamptz(3), dispatch integer NOT NULL,
  attempt integer NOT NULL DEFAULT 0, lost integer NOT NULL DEFAULT 0, uncounted integer NOT NULL DEFAULT 0, slot integer, fence bigint,
  worker text, started_at timestamptz(3), finish_id uuid, blocked_by uuid, cause_run_id uuid, ordinal integer, rerun_of uuid,
  requested_by text, cancel_requested_at timestamptz(3), cancel_requested_by text, cancel_reason text, waiting_since timestamptz(3),
  wait_until timestamptz(3), backfill_id uuid, batch_id uuid, depth integer NOT NULL DEFAULT 0, rate_key text, traceparent text,
  created_at timestamptz(3) NOT NULL DEFAULT now()`;

/** The columns that go over when a run ends. */
export const KEPT = COMMON.split(',')
  .map((column) => column.trim().split(' ')[0] ?? '')
  .filter((column) => !['state', 'finish_id', 'reason'].includes(column));

/** Makes the table of open runs and the ledger of `prefix`, and fills the ledger. */
export async function makeOpenRunTables(link: Link, prefix: string, weeks: number): Promise<void> {
  await link.query(`
    CREATE TABLE ${prefix}_open_run (${COMMON}, phase text NOT NULL, holds boolean NOT NULL DEFAULT false, begin_id uuid,
      watched boolean NOT NULL DEFAULT true, takes boolean NOT NULL DEFAULT false, progress jsonb, PRIMARY KEY (id)) WITH (fillfactor = 40);
    CREATE INDEX ON ${prefix}_open_run (namespace, due_at, id) WHERE phase = 'due';
    CREATE INDEX ON ${prefix}_open_run (task_id, id);
    CREATE TABLE ${prefix}_run (${COMMON}, finished_at timestamptz(3) NOT NULL, output jsonb, error jsonb, exit_code integer,
      until_at timestamptz(3), occurrences integer NOT NULL DEFAULT 1, PRIMARY KEY (id, scheduled_for)) PARTITION BY RANGE (scheduled_for);
    CREATE TABLE ${prefix}_slot (namespace text, key text, slot integer, fence bigint NOT NULL, run_id uuid, since timestamptz(3),
      awaited boolean NOT NULL DEFAULT false, key_limit integer NOT NULL, PRIMARY KEY (namespace, key, slot)) WITH (fillfactor = 60);
    CREATE TABLE ${prefix}_plan (task_id uuid PRIMARY KEY, seq integer NOT NULL, next_at timestamptz) WITH (fillfactor = 60);
    CREATE INDEX ON ${prefix}_plan (next_at)`);
  await makeWeeks(link, `${prefix}_run`, weeks);
  await link.query(`INSERT INTO ${prefix}_plan SELECT DISTINCT h.task_id, 0, now() FROM shape_history h`);
  await link.query(`INSERT INTO ${prefix}_slot SELECT DISTINCT h.namespace, h.key, 1, 0::bigint, NULL::uuid, NULL::timestamptz, false, 1
    FROM shape_history h`);
  await link.query(`INSERT INTO ${prefix}_run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit,
      overlap, pool, due_at, dispatch, attempt, slot, fence, worker, started_at, finished_at)
    SELECT h.id, h.at, h.namespace, h.task_id, 1, 1, 'schedule', 'succeeded', h.key, 1, 'skip', h.pool, h.at, 1, 1, 1, 1, 'filler', h.at, h.at
    FROM shape_history h ORDER BY h.id`);
}
