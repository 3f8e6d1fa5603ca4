import { JOB_KINDS } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { ofEachGoingOn } from '../runs/admission.ts';

/** What a copy of the ledger shows as under way. */
export interface CopiedWork {
  running: number;
  retrying: number;
  /** Queued, planned or waiting, and due by now. */
  notBegun: number;
  /** They wait for a person as it is. */
  held: number;
  unknown: number;
  backfills: number;
  /** Bulk actions runs or tasks. */
  requests: number;
  batches: number;
  /** Runs whose followers are still to be made. */
  followers: number;
  /** Alerts whose messages are still to be sent. */
  messages: number;
}

export async function countCopiedWork(db: Database): Promise<CopiedWork> {
  const [row] = await query<CopiedWork & { [column: string]: unknown }>(db.pool, 'copied_work', COPIED_WORK, [
    db.namespace,
    JOB_KINDS,
  ]);
  if (!row) throw new Error('Postgres answered without a row');
  return row;
}

/** Open runs `r` that may have gone on elsewhere up to an instant; those that are due later start here in time. */
export const mayHaveGoneOn = (untilAt: string): string =>
  `(r.state IN ('running', 'retrying') OR r.due_at <= ${untilAt})`;

const COPIED_WORK = `
WITH open AS MATERIALIZED (
  ${ofEachGoingOn((isOfPhase) => `SELECT r.state FROM run r WHERE r.namespace = $1 AND ${isOfPhase} AND ${mayHaveGoneOn('now()')}`)}
)
SELECT (SELECT count(*)::integer FROM open WHERE state = 'running') AS running,
  (SELECT count(*)::integer FROM open WHERE state = 'retrying') AS retrying,
  (SELECT count(*)::integer FROM open WHERE state NOT IN ('running', 'retrying')) AS "notBegun",
  (SELECT count(*)::integer FROM run WHERE namespace = $1 AND phase = 'held') AS held,
  (SELECT count(*)::integer FROM run WHERE namespace = $1 AND phase = 'unknown') AS unknown,
  (SELECT count(*)::integer FROM backfill WHERE namespace = $1 AND state = 'running') AS backfills,
  (SELECT count(*)::integer FROM request WHERE namespace = $1 AND progress IS NOT NULL AND answered_at IS NULL
    AND halt IS DISTINCT FROM 'cancelled' AND request->>'kind' <> ALL ($2::text[])) AS requests,
  (SELECT count(*)::integer FROM batch WHERE namespace = $1 AND state IN ('filling', 'running', 'stopping')) AS batches,
  (SELECT count(*)::integer FROM followers_outbox WHERE namespace = $1 AND event <> 'next' AND given_up_at IS NULL) AS followers,
  (SELECT count(*)::integer FROM delivery WHERE namespace = $1 AND state = 'pending') AS messages`;
