import { randomUUID } from 'node:crypto';
import { type By, JOB_KINDS, lostReason, openInCopyReason, type RunState } from '@escapement/core';
import type { PoolClient } from 'pg';
import { nameIn, noteAction, toActing } from '../audit-row.ts';
import type { Database } from '../postgres/database.ts';
import { ofEachGoingOn } from '../runs/admission.ts';
import { toFinishRecord } from '../runs/finish-record.ts';
import { mayHaveGoneOn } from './copied-work.ts';
import { ownLedgerBy } from './ledger-origin.ts';

/** What is to become of what a copy of the ledger shows as under way, and of what it lacks. */
export interface CopyChoices {
  copyAt: Date;
  /** Up to when something may have run that the copy does not know. */
  untilAt: Date;
  /** Open runs end, and nothing that was under way goes on. */
  close: boolean;
  /** What was due between copy and then is kept as lost; else each task's catch-up policy decides. */
  lose: boolean;
}

/** How many were ended or stopped. */
export interface CopyAccepted {
  unknown: number;
  skipped: number;
  backfills: number;
  requests: number;
  batches: number;
  followers: number;
}

/** Runs that one statement ends. */
const CHUNK = 500;

/** Does all of that in one transaction, with an entry in the audit, and writes down that the ledger is worked on where it is. */
export async function acceptCopy(db: Database, choices: CopyChoices, by: By): Promise<CopyAccepted> {
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    const accepted = choices.close ? await closeAll(client, db, choices, by) : NOTHING;
    if (choices.lose)
      await client.query(LOSE, [db.namespace, choices.copyAt, choices.untilAt, lostReason(choices), toActing(by)]);
    await client.query(ownLedgerBy('now()'), [db.namespace]);
    await client.query(NOTE, [db.namespace, toActing(by), JSON.stringify({ ...choices, ...accepted })]);
    await client.query('COMMIT');
    return accepted;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

const NOTHING: CopyAccepted = { unknown: 0, skipped: 0, backfills: 0, requests: 0, batches: 0, followers: 0 };

/** What makes runs is stopped first, what the end of a run asks for comes last: it is not made either. */
async function closeAll(
  client: PoolClient,
  { namespace }: Database,
  choices: CopyChoices,
  by: By,
): Promise<CopyAccepted> {
  const change = async (text: string, ...values: unknown[]) =>
    (await client.query(text, [namespace, ...values])).rowCount ?? 0;
  const reason = openInCopyReason(choices.copyAt, true);
  const backfills = await change(STOP_BACKFILLS);
  const requests = await change(CANCEL_REQUESTS, JOB_KINDS);
  const batches = await change(CANCEL_BATCHES, toActing(by), reason);
  const ended = await endRuns(client, namespace, choices);
  return { ...ended, backfills, requests, batches, followers: await change(GIVE_UP_FOLLOWERS, reason) };
}

interface OpenRow {
  id: string;
  scheduled_for: Date;
  state: RunState;
  dispatch: number;
  attempt: number;
}

/** Also those that the end of others wakes. */
async function endRuns(
  client: PoolClient,
  namespace: string,
  { copyAt, untilAt }: CopyChoices,
): Promise<Pick<CopyAccepted, 'unknown' | 'skipped'>> {
  const ended = { unknown: 0, skipped: 0 };
  for (;;) {
    const { rows } = await client.query<OpenRow>(OPEN_RUNS, [namespace, CHUNK, untilAt]);
    if (rows.length === 0) return ended;
    const finishes = rows.map((row) => endOf(row, copyAt));
    for (const { verdict } of finishes) ended[verdict.to] += 1;
    const { rows: results } = await client.query<{ result: string }>(FINISH, [
      namespace,
      JSON.stringify(finishes.map(toFinishRecord)),
    ]);
    if (results.some(({ result }) => result !== 'applied')) throw new Error('somebody works on this ledger');
  }
}

/** Of what had begun nobody knows the end: a person says it. What had not begun is skipped. */
function endOf({ id, scheduled_for, state, dispatch, attempt }: OpenRow, copyAt: Date) {
  const begun = attempt > 0;
  const to = begun ? ('unknown' as const) : ('skipped' as const);
  return {
    runId: id,
    scheduledFor: scheduled_for,
    seen: { state, dispatch, attempt },
    fence: null,
    finishId: randomUUID(),
    verdict: { to, reason: openInCopyReason(copyAt, begun), lost: false, uncounted: false },
  };
}

const OPEN_RUNS = `
SELECT r.id, r.scheduled_for, r.state, r.dispatch, r.attempt FROM (
  ${ofEachGoingOn((isOfPhase) => `SELECT r.* FROM run r WHERE r.namespace = $1 AND ${isOfPhase} AND ${mayHaveGoneOn('$3::timestamptz')}`)}
) r LIMIT $2`;

const FINISH = `SELECT result FROM finish_runs($1, $2::jsonb) WHERE result <> 'woken'`;

const STOP_BACKFILLS = `UPDATE backfill SET state = 'stopped', ended_at = now(), seq = seq + 1 WHERE namespace = $1 AND state = 'running'`;

const CANCEL_REQUESTS = `UPDATE request SET halt = 'cancelled' WHERE namespace = $1 AND progress IS NOT NULL AND answered_at IS NULL
  AND halt IS DISTINCT FROM 'cancelled' AND request->>'kind' <> ALL ($2::text[])`;

const CANCEL_BATCHES = `UPDATE batch SET state = 'cancelling', cancelled_by = ${nameIn('$2')}, reason = $3, advanced_at = '-infinity'
  WHERE namespace = $1 AND state IN ('filling', 'running', 'stopping')`;

// The next run that a run has asked for is an occurrence of its task, which falls into the lost time or comes after it.
const GIVE_UP_FOLLOWERS = `UPDATE followers_outbox SET given_up_at = now(), error = $2 WHERE namespace = $1 AND event <> 'next' AND given_up_at IS NULL`;

const LOSE = `INSERT INTO fleet_freeze (namespace, from_at, until_at, note, created_by)
VALUES ($1, $2::timestamptz, greatest($2::timestamptz, $3::timestamptz), $4, ${nameIn('$5')})`;

const NOTE = noteAction({
  by: '$2',
  action: "'accept_copy'",
  subject: "'namespace:' || $1::text",
  detail: '$3::jsonb',
  from: '(SELECT) one',
});
