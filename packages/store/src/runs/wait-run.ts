import { randomUUID } from 'node:crypto';
import { type Database, query } from '../postgres/database.ts';
import { hasMissedStart, isCancelled, isEdited, isFrozen, isOfDeletedTask, isOfJob, isPaused } from './admission.ts';
import type { BeginResult, SeenRun } from './begin-result.ts';
import { CANCEL_CHANNEL } from './cancel-run.ts';
import { whyNotBegun } from './why-not-begun.ts';

export interface WaitRequest {
  runId: string;
  scheduledFor: Date;
  /** The run as the caller saw it. */
  seen: SeenRun;
  /** The dispatch number of the job in hand. */
  dispatch: number;
  /** So many may wait for the key already; 0: it does not wait itself; undefined: any number. */
  maxWaiting?: number | undefined;
  /** How long it is ready to wait, in milliseconds; undefined: as long as it takes. */
  maxWaitMs?: number | undefined;
}

export type WaitResult =
  /** It is in the wait queue; who frees the slot wakes it. Null: it waits for a token of a rate, and `reason` says which. */
  | { kind: 'waiting'; holder: string | null; reason?: string }
  /** There is room after all: begin it. */
  | { kind: 'free' }
  /** It has ended: so many wait already, or a newer run takes its place. Null: they wait for a rate. */
  | { kind: 'skipped'; holder: string | null; reason: string }
  /** It must not run, whether its key is busy or not; to be ended as said. */
  | { kind: 'refused'; end: Extract<BeginResult, { kind: 'ended' }> }
  /** It is not as it had been seen. */
  | { kind: 'stale' };

/**
 * Puts a run whose key is busy into the wait queue, or skips it (SQL function wait_run). Judged under the locks of the key's slots, so that
 * a holder that ends at the same moment is seen to be gone, or sees the run waiting. A run that replaces asks the
 * one at work to stop.
 */
export async function waitRun(db: Database, request: WaitRequest): Promise<WaitResult> {
  const [result] = await waitRuns(db, [request]);
  return result ?? { kind: 'stale' };
}

/** The same for several runs, none of which replaces, in one transaction; the results in the order asked. */
export async function waitRuns(db: Database, batch: readonly WaitRequest[]): Promise<WaitResult[]> {
  const rows = await query<WaitRow>(db.hot, 'wait_runs', WAIT_RUNS, [
    batch.map((each) => each.runId),
    batch.map((each) => each.scheduledFor.toISOString()),
    batch.map((each) => each.seen.state),
    batch.map((each) => each.seen.dispatch),
    batch.map((each) => each.seen.attempt),
    batch.map((each) => each.dispatch),
    batch.map((each) => each.maxWaiting ?? null),
    batch.map((each) => each.maxWaitMs ?? null),
    CANCEL_CHANNEL,
    db.namespace,
  ]);
  const answers = new Map(rows.map((row) => [row.place, toWaitResult(row)]));
  const refused = rows.flatMap(({ place, result }) => (result === 'refused' ? [place] : []));
  for (const [place, answer] of await endsOf(db, batch, refused)) answers.set(place, answer);
  return batch.map((_, index) => answers.get(index + 1) ?? { kind: 'stale' });
}

/** How these members end, by their place. One that may run after all by now is judged anew by the caller. */
async function endsOf(
  db: Database,
  batch: readonly WaitRequest[],
  places: readonly number[],
): Promise<Map<number, WaitResult>> {
  const asked = new Map<string, number>();
  const requests = places.flatMap((place) => {
    const member = batch[place - 1];
    if (!member) return [];
    const beginId = randomUUID();
    asked.set(beginId, place);
    return [{ ...member, beginId, slot: null }];
  });
  // Equivalent mutant (border): it saves a statement: for no requests the answer is an empty map as well.
  const ends = requests.length > 0 ? await whyNotBegun(db, requests) : new Map<string, BeginResult>();
  return new Map(
    [...asked].map(([beginId, place]) => {
      const end = ends.get(beginId);
      return [place, end?.kind === 'ended' ? { kind: 'refused', end } : { kind: 'stale' }];
    }),
  );
}

interface WaitRow {
  place: number;
  result: WaitResult['kind'];
  holder: string | null;
  reason: string | null;
}

function toWaitResult({ result: kind, holder, reason }: WaitRow): WaitResult {
  if (kind === 'stale') return { kind };
  if (kind === 'waiting' && (holder || reason)) return { kind, holder, ...(reason === null ? {} : { reason }) };
  if (kind === 'skipped' && reason) return { kind, holder, reason };
  return { kind: 'free' };
}

/** What ends a run `r` of the task `t` before anybody asks whether its key is busy; in the order of REFUSALS. */
const ENDS = `(${isOfJob('r', 'i.job_dispatch')} AND NOT ${isCancelled('r')}
    AND (${[isOfDeletedTask('r', 't'), isEdited('r', 't'), isFrozen('r'), isPaused('r'), hasMissedStart('r')].join(' OR ')}))`;

// All runs are locked before the slots of any, each in key order, as in every statement: no deadlock.
const WAIT_RUNS = `
WITH input AS MATERIALIZED (
  SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::integer[], $5::integer[], $6::integer[], $7::integer[], $8::bigint[])
    WITH ORDINALITY AS i(run_id, scheduled_for, state, dispatch, attempt, job_dispatch, max_waiting, max_wait_ms, place)
), locked AS MATERIALIZED (
  SELECT i.*, r.namespace, r.key, ${ENDS} AS refused FROM input i
  JOIN run r ON r.id = i.run_id AND r.scheduled_for = i.scheduled_for
  CROSS JOIN LATERAL (SELECT t.* FROM task t WHERE t.id = r.task_id OFFSET 0) t
  WHERE r.namespace = $10
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r
)
SELECT i.place::integer AS place, w.result, w.holder, w.reason
FROM (SELECT * FROM locked ORDER BY namespace, key, run_id OFFSET 0) i
CROSS JOIN LATERAL (
  SELECT 'refused' AS result, NULL::uuid AS holder, NULL::text AS reason WHERE i.refused
  UNION ALL
  SELECT * FROM wait_run(i.run_id, i.scheduled_for, i.state, i.dispatch, i.attempt, i.job_dispatch, i.max_waiting, i.max_wait_ms, $9)
  WHERE NOT i.refused
) w`;
