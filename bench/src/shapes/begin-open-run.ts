/**
 * What keeps a second run of a key out. `update`: a row for the key, which a begin writes and an end leaves as it is. `upsert`: the same, and the begin
 * makes the row if there is none. `index`: a unique index on the open runs that hold their key. `none`: nothing does.
 */
export type Keeper = 'update' | 'upsert' | 'index' | 'none';

export type Tables = Record<'open' | 'ledger' | 'slot' | 'plan', string>;

/** What a begin asks of the row itself. */
const MAY_BEGIN = `r.namespace = $5 AND r.state IN ('planned', 'queued') AND r.dispatch = i.dispatch AND r.due_at <= now()
  AND r.cancel_requested_at IS NULL AND (r.start_by IS NULL OR r.start_by >= now()) AND (r.misfire_at IS NULL OR r.misfire_at >= now())`;

const ASKED = (open: string) => `
SELECT r.id, r.namespace, r.key, i.dispatch, i.begin_id FROM unnest($1::uuid[], $2::integer[], $3::uuid[]) AS i(id, dispatch, begin_id)
JOIN ${open} r ON r.id = ANY (ARRAY[i.id]) WHERE ${MAY_BEGIN}
ORDER BY r.namespace, r.key, r.id`;

const BEGUN = `state = 'running', attempt = r.attempt + 1, worker = $4, slot = 1, finish_id = NULL, reason = NULL, started_at = clock_timestamp()`;

/** What a worker needs of a run. */
const ANSWER = `r.id, r.begin_id, r.scheduled_for, r.namespace, r.task_id, r.task_version, r.origin, r.requested_by, r.cause_run_id, r.key,
  r.dispatch, r.attempt, r.lost, r.uncounted, r.fence, r.due_at, r.started_at, r.batch_id, r.depth, r.traceparent, r.created_at`;

const NOW_MS = '(extract(epoch FROM now()) * 1000)::bigint';

/** The slot is free, or is of a run that is over: an end does not write it. */
const IS_FREE = (
  open: string,
  run: string,
) => `(s.run_id IS NULL OR s.run_id = ${run} OR NOT EXISTS (SELECT FROM ${open} h WHERE h.id = s.run_id
    AND (h.state IN ('running', 'retrying') OR h.attempt > 0 OR s.since > now() - interval '5 s')))`;

const UPDATED = ({ open, slot }: Tables) => `
UPDATE ${slot} s SET fence = greatest(s.fence + 1, ${NOW_MS}), run_id = a.id, since = now() FROM asked a
WHERE s.namespace = a.namespace AND s.key = a.key AND s.slot = 1 AND ${IS_FREE(open, 'a.id')}
RETURNING a.id, a.begin_id, s.fence`;

const UPSERTED = ({ open, slot }: Tables) => `
INSERT INTO ${slot} AS s (namespace, key, slot, fence, run_id, since, key_limit)
SELECT a.namespace, a.key, 1, ${NOW_MS}, a.id, now(), 1 FROM asked a
ON CONFLICT (namespace, key, slot) DO UPDATE SET fence = greatest(s.fence + 1, excluded.fence), run_id = excluded.run_id, since = excluded.since
WHERE ${IS_FREE(open, 'excluded.run_id')}
RETURNING s.run_id, s.fence`;

const BEGIN_UPDATE = (tables: Tables) => `
WITH asked AS MATERIALIZED (${ASKED(tables.open)} FOR UPDATE OF r
), taken AS (${UPDATED(tables)}
)
UPDATE ${tables.open} r SET ${BEGUN}, fence = t.fence, begin_id = t.begin_id
FROM taken t WHERE r.id = ANY (ARRAY[t.id]) RETURNING ${ANSWER}`;

/** An upsert returns nothing of what it was given: a second join finds it, and without hash joins that one is quadratic. */
const BEGIN_UPSERT = (tables: Tables) => `
WITH asked AS MATERIALIZED (${ASKED(tables.open)} FOR UPDATE OF r
), taken AS (${UPSERTED(tables)}
)
UPDATE ${tables.open} r SET ${BEGUN}, fence = t.fence, begin_id = a.begin_id
FROM taken t JOIN asked a ON a.id = t.run_id WHERE r.id = ANY (ARRAY[t.run_id]) RETURNING ${ANSWER}`;

const BEGIN_ALONE = (open: string, more: string, where: string) => `
UPDATE ${open} r SET ${BEGUN}${more}, fence = greatest(r.fence + 1, ${NOW_MS}), begin_id = i.begin_id
FROM unnest($1::uuid[], $2::integer[], $3::uuid[]) AS i(id, dispatch, begin_id)
WHERE r.id = ANY (ARRAY[i.id]) AND ${MAY_BEGIN}${where}
RETURNING ${ANSWER}`;

const NO_HOLDER = (open: string) =>
  ` AND NOT EXISTS (SELECT FROM ${open} h WHERE h.namespace = r.namespace AND h.key = r.key AND h.holds AND h.id <> r.id)`;

export const BEGINS: Record<Keeper, (tables: Tables) => string> = {
  update: BEGIN_UPDATE,
  upsert: BEGIN_UPSERT,
  index: ({ open }) => BEGIN_ALONE(open, ', holds = true', NO_HOLDER(open)),
  none: ({ open }) => BEGIN_ALONE(open, '', ''),
};
