import { weekStatement } from '../partitions/week-statement.ts';
import { isInPausedPool } from '../pools/pause-of-pool.ts';
import { isInRatedPool } from '../pools/rate-of-pool.ts';
import type { Database } from '../postgres/database.ts';
import {
  hasMissedStart,
  hasOneAhead,
  hasSlot,
  isCancelled,
  isEarly,
  isEdited,
  isFrozen,
  isHeldByAnother,
  isInQueues,
  isMisfired,
  isOfDeletedTask,
  isOfJob,
  isPaused,
} from './admission.ts';
import { BEGUN_COLUMNS, type BeginRequest, type BeginResult, type BegunRow, toBegunRun } from './begin-result.ts';
import { WITHOUT_SLOT } from './overlap-policies.ts';
import { whyNotBegun } from './why-not-begun.ts';

/**
 * Begins runs by compare-and-set, each under a new fence of its slot. At most one member per slot. `queues`: those that the worker
 * serves; to it runs of others are `stale`, as those of other namespaces are. Default: all.
 */
export async function beginRuns(
  db: Database,
  batch: readonly BeginRequest[],
  queues?: readonly string[],
): Promise<BeginResult[]> {
  const rated = batch.filter((each) => each.rated);
  const rows =
    rated.length === 0 ? await begin(beginRows, { db, queues }, batch) : await beginBoth({ db, queues }, batch, rated);
  const begun = new Map(rows.map((row) => [row.begin_id, row]));
  const refused = batch.filter((each) => !begun.has(each.beginId));
  const reasons = refused.length > 0 ? await whyNotBegun(db, refused, queues) : new Map<string, BeginResult>();
  return batch.map((each) => {
    const row = begun.get(each.beginId);
    return row ? { kind: 'begun', run: toBegunRun(row) } : refusal(each, reasons.get(each.beginId));
  });
}

/** Where nothing else is in the way of a run that has a rate, it is that one. */
function refusal({ rated }: BeginRequest, reason: BeginResult = { kind: 'stale' }): BeginResult {
  return rated && reason.kind === 'changed' ? { kind: 'busy', holder: null, anySlot: true } : reason;
}

/** Who begins runs. */
interface Beginner {
  db: Database;
  queues: readonly string[] | undefined;
}

async function beginBoth(who: Beginner, batch: readonly BeginRequest[], rated: readonly BeginRequest[]) {
  const others = batch.filter((each) => !each.rated);
  const rows = others.length > 0 ? await begin(beginRows, who, others) : [];
  return [...rows, ...(await begin(beginRatedRows, who, rated))];
}

async function begin(
  statement: typeof beginRows,
  { db, queues }: Beginner,
  batch: readonly BeginRequest[],
): Promise<BegunRow[]> {
  return await statement(db, batch, [
    batch.map((each) => each.runId),
    batch.map((each) => each.scheduledFor.toISOString()),
    batch.map((each) => each.dispatch),
    batch.map((each) => each.beginId),
    batch.map((each) => each.slot),
    batch.map((each) => each.worker),
    db.namespace,
    queues ?? null,
    turnsOf(batch),
  ]);
}

/**
 * The key of each run that asks for order and has company of its key; null for the others. Runs under a rate begin one after the other: one
 * may find no token where a later one, under another rate, finds some.
 */
function turnsOf(batch: readonly BeginRequest[]): (string | null)[] {
  const turns = batch.map(({ ordered, rated, key }) => (ordered && !rated ? key : null));
  const counts = new Map<string | null, number>();
  for (const turn of turns) counts.set(turn, (counts.get(turn) ?? 0) + 1);
  return turns.map((turn) => ((counts.get(turn) ?? 0) > 1 ? turn : null));
}

// The pool or the task may have got a rate since this run was looked up: its job is made again, and brings it under the rate.
const UNRATED = {
  column: ', r.rate_key',
  isWay: `AND l.rate_key IS NULL AND NOT ${isInRatedPool('l')}`,
  permitted: '',
  from: 'picked',
  startedAt: 'clock_timestamp()',
  isPermitted: '',
};

// Runs are locked before slots, each in key order: no deadlock. The slot is taken only if no open run has it, so
// that after a FLUSHALL of Redis the row still keeps the second one out, nor while it is reserved for a run in the wait queue. The
// first slot's row says which limit the key's runs agree on: who has another one counts the holders under that row's lock.
// Rows are joined by `= ANY (ARRAY[id])`, here and elsewhere: Postgres can follow that only by looking each id up. By a plain
// equality it may also read a whole index, which costs nothing in a partition that is empty when the plan is made.
// Of runs that ask for order several of a key begin together (`turn`), none unless each before it does. `locked` has them in their order,
// since an id begins with the time of its run.
// The run starts when it has the slot: now() is when the statement came, before all that it had to wait for.
const BEGIN = (run: string, rate: typeof UNRATED) => `
input AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::uuid[], $5::integer[], $6::text[], $9::text[])
    AS i(run_id, scheduled_for, dispatch, begin_id, slot, worker, turn)
), locked AS MATERIALIZED (
  SELECT i.*, r.namespace, r.key, r.key_limit, r.pool, r.task_id, r.task_version, r.attempt, r.origin, r.ordinal, r.plan_epoch${rate.column}
  FROM input i
  JOIN ${run} r ON r.id = ANY (ARRAY[i.run_id]) AND r.scheduled_for = i.scheduled_for
  WHERE r.namespace = $7 AND ${isInQueues('r', '$8')} AND ${isOfJob('r', 'i.dispatch')} AND ${hasSlot('r', 'i.slot')} AND (i.slot IS NOT NULL OR r.overlap IN ${WITHOUT_SLOT})
    AND NOT ${isCancelled('r')} AND NOT ${hasMissedStart('r')}
    AND NOT ${isEarly('r')} AND NOT ${isMisfired('r')} AND NOT ${hasOneAhead('r', 'CASE WHEN i.turn IS NOT NULL THEN $1::uuid[] END')}
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r
), picked AS MATERIALIZED (
  SELECT l.* FROM locked l CROSS JOIN LATERAL (SELECT t.* FROM task t WHERE t.id = l.task_id OFFSET 0) t
  WHERE NOT ${isOfDeletedTask('l', 't')} AND NOT ${isEdited('l', 't')} AND NOT ${isFrozen('l')} AND NOT ${isPaused('l')} AND NOT ${isInPausedPool('l')} ${rate.isWay}
), taken AS (
  INSERT INTO key_slot AS s (namespace, key, slot, fence, run_id, run_scheduled_for, worker, since, key_limit, awaited)
  SELECT p.namespace, p.key, p.slot, next_fence(NULL), p.run_id, p.scheduled_for, p.worker, now(),
    CASE WHEN p.slot = 1 THEN p.key_limit ELSE 0 END, p.slot > 1
  FROM (SELECT * FROM picked WHERE slot IS NOT NULL ORDER BY namespace, key, slot OFFSET 0) p
  WHERE p.slot = 1 OR key_room_locked(p.namespace, p.key, p.key_limit, p.run_id)
  ON CONFLICT (namespace, key, slot) DO UPDATE
  SET fence = next_fence(s.fence), run_id = excluded.run_id, run_scheduled_for = excluded.run_scheduled_for,
    worker = excluded.worker, since = excluded.since,
    key_limit = CASE WHEN s.key_limit = excluded.key_limit OR s.slot > 1 THEN s.key_limit
      ELSE key_room(s.namespace, s.key, excluded.key_limit, excluded.run_id) END
  WHERE NOT ${isHeldByAnother('excluded.run_id', 's')}
    AND (s.key_limit = excluded.key_limit OR s.slot > 1
      OR key_room(s.namespace, s.key, excluded.key_limit, excluded.run_id) IS NOT NULL)
  RETURNING s.run_id, s.fence
), fences AS MATERIALIZED (
  SELECT jsonb_object_agg(run_id, fence) AS of FROM taken
)${rate.permitted}, last AS (
  UPDATE ${run} r SET state = 'running', dispatch = p.dispatch, attempt = r.attempt + 1, worker = p.worker, slot = p.slot,
    fence = coalesce((f.of ->> p.run_id::text)::bigint, next_fence(r.fence)), begin_id = p.begin_id, finish_id = NULL, reason = NULL, started_at = ${rate.startedAt}
  FROM ${rate.from} p, fences f
  WHERE r.id = ANY (ARRAY[p.run_id]) AND r.scheduled_for = p.scheduled_for AND (p.slot IS NULL OR f.of ? p.run_id::text)
    AND (p.turn IS NULL OR NOT EXISTS (SELECT FROM input i WHERE i.turn = p.turn AND (i.scheduled_for, i.run_id) < (p.scheduled_for, p.run_id)
      AND NOT f.of ? i.run_id::text)) ${rate.isPermitted}
  RETURNING ${BEGUN_COLUMNS}
)`;

const beginRows = weekStatement<BegunRow>('begin_runs', (run) => BEGIN(run, UNRATED));

// The tokens come last, those of all runs locked in one order, then taken in that of the runs: whoever is refused by then leaves
// none unused.
const beginRatedRows = weekStatement<BegunRow>('begin_rated_runs', (run) =>
  BEGIN(run, {
    column: ', r.rate_key',
    isWay: '',
    permitted: `, slotted AS MATERIALIZED (
  SELECT p.* FROM picked p, fences f WHERE p.slot IS NULL OR f.of ? p.run_id::text
), buckets AS MATERIALIZED (
  SELECT count(l.locked) AS namespaces FROM (
    SELECT rate_lock(s.namespace, array_agg(k.rate_key)) AS locked
    FROM slotted s CROSS JOIN LATERAL rates_of_run(s.namespace, s.rate_key, s.pool, s.task_id) k GROUP BY s.namespace) l
), permitted AS MATERIALIZED (
  SELECT p.*, rate_take(p.namespace, p.rate_key, p.pool, p.task_id, p.scheduled_for, p.run_id) AS began_at
  FROM (SELECT s.* FROM slotted s, buckets b WHERE b.namespaces IS NOT NULL ORDER BY s.scheduled_for, s.run_id OFFSET 0) p
)`,
    from: 'permitted',
    startedAt: 'p.began_at',
    isPermitted: 'AND p.began_at IS NOT NULL',
  }),
);
