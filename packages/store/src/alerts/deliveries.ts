import type { RunState } from '@escapement/core';
import type { AlertCounts, ConditionKind, Severity } from '@escapement/core/alerts';
import type { Labels } from '@escapement/core/rights';
import { type Database, query } from '../postgres/database.ts';

/** A message that is due, with the alerts that it is about as they are now. */
export interface PendingDelivery {
  id: bigint;
  receiver: string;
  group: string;
  repeated: boolean;
  tries: number;
  createdAt: Date;
  /** The URLs that the tasks of its alerts name. */
  webhooks: string[];
  /** At most so many as were asked for; those that fire come first. */
  alerts: DeliveredAlert[];
  /** The others that it is about. */
  more: AlertCounts;
}

export interface DeliveredAlert {
  id: string;
  rule: string;
  kind: ConditionKind;
  severity: Severity;
  labels: Labels;
  state: 'firing' | 'resolved';
  summary: string;
  why: string[];
  since: Date;
  resolvedAt: Date | null;
  seen: number;
  /** The latest that it is told by, the last one first. */
  runs: DeliveredRun[];
}

export interface DeliveredRun {
  id: string;
  scheduledFor: Date;
  state: RunState;
  reason: string | null;
  /** The span that its trace continues; null: its trace begins with it. */
  traceparent: string | null;
}

interface AlertRow extends Omit<DeliveredAlert, 'since' | 'resolvedAt' | 'runs'> {
  since: string;
  resolvedAt: string | null;
  runs: (Omit<DeliveredRun, 'scheduledFor'> & { scheduledFor: string })[];
}

/** Takes messages that are due; each stays this scheduler's for `claimMs`, then it is due again. `alerts`: so many of each are read. */
export async function takeDeliveries(
  db: Database,
  options: { limit: number; claimMs: number; alerts: number },
): Promise<PendingDelivery[]> {
  const rows = await query<
    Omit<PendingDelivery, 'alerts' | 'more'> & { alerts: AlertRow[]; all: AlertCounts; [column: string]: unknown }
  >(db.pool, 'take_deliveries', TAKE_DELIVERIES, [db.namespace, options.limit, options.claimMs, options.alerts]);
  return rows.map(({ all, ...row }) => {
    const alerts = row.alerts.map(toAlert);
    const firing = alerts.filter(({ state }) => state === 'firing').length;
    return { ...row, alerts, more: { firing: all.firing - firing, resolved: all.resolved - (alerts.length - firing) } };
  });
}

function toAlert({ since, resolvedAt, runs, ...rest }: AlertRow): DeliveredAlert {
  return {
    ...rest,
    since: new Date(since),
    resolvedAt: resolvedAt === null ? null : new Date(resolvedAt),
    runs: runs.map((run) => ({ ...run, scheduledFor: new Date(run.scheduledFor) })),
  };
}

const TAKE_DELIVERIES = `
WITH due AS (
  SELECT id FROM delivery WHERE namespace = $1 AND state = 'pending' AND try_at <= now()
  ORDER BY try_at LIMIT $2 FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE delivery d SET tries = d.tries + 1, try_at = now() + $3 * interval '1 ms' FROM due WHERE d.id = due.id
  RETURNING d.*
)
SELECT d.id, d.receiver, d.alert_group AS "group", d.repeated, d.tries, d.created_at AS "createdAt",
  array(SELECT DISTINCT u.url #>> '{}' FROM alert a JOIN task t ON t.id = a.task_id, jsonb_path_query(t.definition, 'lax $.notify.webhook[*]') AS u(url)
    WHERE a.id = ANY (d.alerts) AND a.namespace = $1 AND d.receiver LIKE 'webhook:%') AS webhooks,
  coalesce((
  SELECT jsonb_agg(jsonb_build_object('id', a.id::text, 'rule', a.rule, 'kind', a.kind, 'severity', a.severity, 'labels', a.labels,
    'state', a.state, 'summary', a.summary, 'why', a.why, 'since', a.since, 'resolvedAt', a.resolved_at, 'seen', a.seen, 'runs', (
      SELECT coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'scheduledFor', r.scheduled_for, 'state', r.state, 'reason', r.reason, 'traceparent', r.traceparent) ORDER BY o.place), '[]')
      FROM jsonb_path_query(a.runs, 'lax $[*]') WITH ORDINALITY AS o(run, place)
      JOIN any_run r ON r.id = ANY (ARRAY[(o.run->>'id')::uuid]) AND r.scheduled_for = (o.run->>'scheduledFor')::timestamptz AND r.namespace = $1
    )) ORDER BY a.state, a.id)
  FROM (SELECT * FROM alert WHERE id = ANY (d.alerts) AND namespace = $1 ORDER BY state, id LIMIT $4) a), '[]') AS alerts,
  (SELECT jsonb_build_object('firing', count(*) FILTER (WHERE a.state = 'firing'), 'resolved', count(*) FILTER (WHERE a.state = 'resolved'))
    FROM alert a WHERE a.id = ANY (d.alerts) AND a.namespace = $1) AS "all"
FROM taken d`;

/** Leaves a message that was taken to these of its alerts, and the others to a message of their own, which is due at once. */
export async function splitDelivery(db: Database, id: bigint, alerts: readonly string[]): Promise<void> {
  await query(db.pool, 'split_delivery', SPLIT_DELIVERY, [db.namespace, String(id), alerts]);
}

// One that was tried gathers no others.
const SPLIT_DELIVERY = `
WITH whole AS MATERIALIZED (
  SELECT * FROM delivery WHERE namespace = $1 AND id = $2 AND state = 'pending' FOR UPDATE
), left_with AS (
  UPDATE delivery d SET alerts = array(SELECT u.id FROM unnest(w.alerts) u(id) WHERE u.id = ANY ($3::bigint[])) FROM whole w WHERE d.id = w.id
)
INSERT INTO delivery (namespace, receiver, alert_group, alerts, repeated, tries, try_at)
SELECT w.namespace, w.receiver, w.alert_group, o.alerts, w.repeated, 1, now()
FROM whole w, LATERAL (SELECT array(SELECT u.id FROM unnest(w.alerts) u(id) WHERE u.id <> ALL ($3::bigint[])) AS alerts) o
WHERE cardinality(o.alerts) > 0`;

export interface DeliveryResult {
  id: bigint;
  state: 'sent' | 'dropped' | 'pending';
  /** With `pending`: wait before the next try. Milliseconds. */
  retryInMs: number;
  error: string | null;
  /** What was sent, as plain text. */
  text: string;
}

/** Records what became of a message. */
export async function recordDelivery(db: Database, result: DeliveryResult): Promise<void> {
  await query(
    db.pool,
    'record_delivery',
    `UPDATE delivery SET state = $3, error = $4, try_at = now() + $5 * interval '1 ms', text = $6,
       ended_at = CASE WHEN $3 <> 'pending' THEN now() END
     WHERE namespace = $1 AND id = $2`,
    [db.namespace, result.id.toString(), result.state, result.error, result.retryInMs, result.text],
  );
}

/** A message, as people look at it. */
export interface DeliveryView {
  id: bigint;
  receiver: string;
  state: 'pending' | 'sent' | 'dropped';
  tries: number;
  alerts: bigint[];
  error: string | null;
  text: string | null;
  createdAt: Date;
  endedAt: Date | null;
  /** When it is tried next; null: it has ended. */
  tryAt: Date | null;
}

const DELIVERY_VIEW = `id, receiver, state, tries, alerts, error, text, created_at AS "createdAt", ended_at AS "endedAt",
  CASE WHEN state = 'pending' THEN try_at END AS "tryAt"`;

/** The latest messages, of those before an id where one is given: all, or those to one receiver. */
export async function listDeliveries(
  db: Database,
  { receiver, before, limit }: { receiver?: string | undefined; before?: bigint | undefined; limit: number },
): Promise<DeliveryView[]> {
  return await query<DeliveryView & { [column: string]: unknown }>(
    db.pool,
    'list_deliveries',
    `SELECT ${DELIVERY_VIEW}
     FROM delivery WHERE namespace = $1 AND ($2::text IS NULL OR receiver = $2) AND ($4::bigint IS NULL OR id < $4::bigint)
     ORDER BY id DESC LIMIT $3`,
    [db.namespace, receiver ?? null, limit, before?.toString() ?? null],
  );
}

/** A receiver that the last message did not reach, so far. */
export interface FailingReceiver {
  receiver: string;
  error: string;
}

/** Those of these receivers whose last message that was tried has failed. */
export async function failingReceivers(db: Database, receivers: readonly string[]): Promise<FailingReceiver[]> {
  return await query<FailingReceiver & { [column: string]: unknown }>(
    db.pool,
    'failing_receivers',
    `SELECT r.receiver, l.error FROM unnest($2::text[]) AS r(receiver) CROSS JOIN LATERAL (
       SELECT d.error FROM delivery d WHERE d.namespace = $1 AND d.receiver = r.receiver AND d.tries > 0 ORDER BY d.id DESC LIMIT 1
     ) l WHERE l.error IS NOT NULL ORDER BY 1`,
    [db.namespace, receivers],
  );
}

/** Queues a message without an alert: a test of a receiver. Returns its number. */
export async function queueTestDelivery(db: Database, receiver: string): Promise<bigint> {
  const [row] = await query<{ id: bigint }>(
    db.pool,
    'queue_test_delivery',
    `INSERT INTO delivery AS d (namespace, receiver, alert_group, alerts, repeated, try_at) VALUES ($1, $2, 'test', '{}', false, now())
     ON CONFLICT (namespace, receiver, alert_group) WHERE state = 'pending' AND tries = 0 DO UPDATE SET try_at = now() RETURNING id`,
    [db.namespace, receiver],
  );
  if (!row) throw new TypeError('an INSERT answers with its row');
  return row.id;
}

/** Null: there is none of this number. */
export async function findDelivery(db: Database, id: bigint): Promise<DeliveryView | null> {
  const [row] = await query<DeliveryView & { [column: string]: unknown }>(
    db.pool,
    'find_delivery',
    `SELECT ${DELIVERY_VIEW} FROM delivery WHERE namespace = $1 AND id = $2`,
    [db.namespace, String(id)],
  );
  return row ?? null;
}
