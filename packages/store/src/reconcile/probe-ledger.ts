import { type Database, query } from '../postgres/database.ts';
import { hasMissedStart, hasNotBegun, isCancelled, isOpen } from '../runs/admission.ts';
import { WAITS_FOR_WORKER } from '../runs/finish-gone-workers.ts';
import { GRACE } from './find-oldest.ts';

/** Where a look at due runs begins: see `OpenFrom`. */
const FROM = '$2::timestamptz';

/** Of a phase, the recent ones first: a busy fleet has some, and the entries of runs that have ended are before them. */
const anyOf = (phase: string): string => {
  const runs = `SELECT FROM run r WHERE r.namespace = $1 AND r.phase = '${phase}'`;
  return `SELECT WHERE EXISTS (${runs} AND r.due_at >= now() - ${GRACE}) OR EXISTS (${runs} AND r.due_at >= ${FROM})`;
};

/** Of each kind of row that a loop of a scheduler may have work with: whether there is any at all. */
const KINDS = {
  /** Runs that are queued or running. */
  live: anyOf('live'),
  /** Runs in the wait queue of their key. */
  waiting: `SELECT FROM run r WHERE r.namespace = $1 AND r.phase = 'waiting'`,
  /** Slots that a run holds, or that are reserved for one. Where there are none all slots of the namespace are read. */
  slots: 'SELECT FROM key_slot s WHERE s.namespace = $1 AND s.run_id IS NOT NULL',
  /** Open runs that somebody wants cancelled. */
  cancelling: `SELECT FROM run r WHERE r.namespace = $1 AND ${isCancelled('r')} AND ${isOpen('r')}`,
  /** Runs that have not begun, and whose start deadline is over. */
  late: `SELECT FROM run r WHERE r.namespace = $1 AND ${hasMissedStart('r')} AND ${hasNotBegun('r')}`,
  /** Tasks whose deletion may have left open runs. */
  deleted: 'SELECT FROM task t WHERE t.namespace = $1 AND t.ends_runs',
  /** Runs that have waited for one worker for a while. */
  of_workers: `SELECT FROM run r WHERE ${WAITS_FOR_WORKER}`,
  /** Runs that the queue has not been told of. */
  untold: anyOf('untold'),
  /** Runs that are due and whose repeat has not come. */
  unrepeated: `SELECT FROM run r WHERE r.namespace = $1 AND r.phase = 'repeating' AND r.due_at <= now() AND r.due_at >= ${FROM}`,
  /** Notes of ends of runs, which others may follow. */
  outbox: 'SELECT FROM followers_outbox f WHERE f.namespace = $1 AND f.given_up_at IS NULL',
  /** Edits of tasks for later. */
  changes: 'SELECT FROM task_change c WHERE c.namespace = $1 AND c.error IS NULL',
  backfills: `SELECT FROM backfill b WHERE b.namespace = $1 AND b.state = 'running'`,
  batches: `SELECT FROM batch b WHERE b.namespace = $1 AND b.state IN ('filling', 'running', 'stopping', 'cancelling')`,
  /** An hour that is over and not rolled up, or late ends in one that is. */
  hours: `SELECT FROM roll_up u WHERE u.namespace = $1 AND u.rolled_until <= now() - interval '1 hour 30 s'
    UNION ALL SELECT FROM task_hour_stale s WHERE s.namespace = $1`,
  /** What the rules of alerts have to judge. */
  facts: 'SELECT FROM alert_fact f WHERE f.namespace = $1',
  /** Failures without a fingerprint. */
  failures: 'SELECT FROM failure f WHERE f.namespace = $1 AND f.fingerprint IS NULL',
  /** Alerts that are open, or of which something is to be told. */
  alerts: `SELECT FROM alert a WHERE a.namespace = $1 AND a.state <> 'resolved'
    UNION ALL SELECT FROM alert a WHERE a.namespace = $1 AND a.tell IS NOT NULL`,
  /** Monitors with which something is wrong. */
  monitors: 'SELECT FROM monitor h WHERE h.namespace = $1 AND h.trouble_at <= now()',
  /** Runs of which a person has to say something. */
  for_person: `SELECT FROM run r WHERE r.namespace = $1 AND r.phase = 'unknown' UNION ALL SELECT FROM run r WHERE r.namespace = $1 AND r.phase = 'held'`,
  deliveries: `SELECT FROM delivery d WHERE d.namespace = $1 AND d.state = 'pending' AND d.try_at <= now()`,
  requests: 'SELECT FROM request q WHERE q.namespace = $1 AND q.answered_at IS NULL',
};

export type ProbeKind = keyof typeof KINDS;

export const PROBE_KINDS = Object.keys(KINDS) as ProbeKind[];

/**
 * Which of these kinds of rows there are: a repair of the others needs no look of its own. One cheap statement, on an idle
 * fleet instead of six a second. With no kind to ask for it asks nothing.
 */
export async function probeLedger(db: Database, kinds: readonly ProbeKind[]): Promise<ReadonlySet<ProbeKind>> {
  if (kinds.length === 0) return new Set();
  const text = `SELECT ${kinds.map((kind) => `EXISTS (${KINDS[kind]}) AS ${kind}`).join(',\n  ')}`;
  const [row] = await query<Record<string, boolean>>(db.hot, `probe_${nameOf(kinds)}`, text, [
    db.namespace,
    ...(text.includes(FROM) ? [db.openFrom.runs] : []),
  ]);
  return new Set(kinds.filter((kind) => row?.[kind]));
}

/** Short, as Postgres cuts off names of statements after 63 characters. */
function nameOf(kinds: readonly ProbeKind[]): string {
  return kinds.map((kind) => PROBE_KINDS.indexOf(kind)).join('_');
}
