import { weekStatement } from '../partitions/week-statement.ts';
import type { Database } from '../postgres/database.ts';
import type { FinishRequest } from './finish-request.ts';
import { OLDEST_FIRST } from './overlap-policies.ts';

/** Whether nothing but the run and its slot changes by this: it succeeded, under its own fence, and asks for nothing. */
export function isPlainSuccess({ verdict, fence, countsFromEnd, blockedBy }: FinishRequest): boolean {
  return (
    verdict.to === 'succeeded' &&
    fence !== null &&
    countsFromEnd === false &&
    verdict.effects === undefined &&
    verdict.error === undefined &&
    blockedBy === undefined
  );
}

/**
 * Ends runs that succeeded, by compare-and-set, where nobody may wait for their slot. Returns the ids of those that it
 * ended; the others are for `finish_runs`, which knows all cases and says what is wrong (measured: a plain success costs
 * a third of what it costs there).
 */
export async function finishPlainSuccesses(
  db: Database,
  batch: readonly FinishRequest[],
): Promise<ReadonlySet<string>> {
  const rows = await finishSuccesses(db, batch, [
    batch.map((each) => each.runId),
    batch.map((each) => each.scheduledFor.toISOString()),
    batch.map((each) => each.seen.dispatch),
    batch.map((each) => each.seen.attempt),
    batch.map((each) => String(each.fence)),
    batch.map((each) => each.finishId),
    batch.map((each) => each.verdict.reason),
    batch.map((each) => (each.verdict.output === undefined ? null : JSON.stringify(each.verdict.output))),
    batch.map((each) => each.verdict.exitCode ?? null),
    db.namespace,
  ]);
  return new Set(rows.map((row) => row.id));
}

// Runs are locked before slots, each in key order, as in every statement. A slot that somebody may wait for is left
// alone, and with it the run: whoever notes that he waits has the lock of the slot's row.
const finishSuccesses = weekStatement<{ id: string }>(
  'finish_plain_successes',
  (run) => `
picked AS MATERIALIZED (
  SELECT r.id, r.scheduled_for, r.namespace, r.key, r.slot, r.fence, i.finish_id, i.reason, i.output, i.exit_code
  FROM unnest($1::uuid[], $2::timestamptz[], $3::integer[], $4::integer[], $5::bigint[], $6::uuid[], $7::text[], $8::jsonb[], $9::integer[])
    AS i(id, scheduled_for, dispatch, attempt, fence, finish_id, reason, output, exit_code)
  JOIN ${run} r ON r.id = ANY (ARRAY[i.id]) AND r.scheduled_for = i.scheduled_for
  WHERE r.namespace = $10 AND r.state = 'running' AND r.dispatch = i.dispatch AND r.attempt = i.attempt AND r.fence = i.fence AND r.overlap NOT IN ${OLDEST_FIRST}
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r
), freed AS (
  UPDATE key_slot s SET run_id = NULL, run_scheduled_for = NULL, worker = NULL, since = NULL
  FROM (SELECT * FROM picked WHERE slot IS NOT NULL ORDER BY namespace, key, slot OFFSET 0) p
  WHERE s.namespace = p.namespace AND s.key = p.key AND s.slot = p.slot AND s.run_id = p.id AND s.fence = p.fence AND NOT s.awaited
  RETURNING p.id
), last AS (
  UPDATE ${run} r SET state = 'succeeded', reason = p.reason, finish_id = p.finish_id, finished_at = clock_timestamp(), error = NULL,
    output = p.output, exit_code = p.exit_code
  FROM picked p
  WHERE r.id = ANY (ARRAY[p.id]) AND r.scheduled_for = p.scheduled_for
    AND (p.slot IS NULL OR p.id IN (SELECT id FROM freed))
  RETURNING r.id
)`,
);
