import type { NotifyPolicy } from '@escapement/core';
import type { ConditionKind, Destination } from '@escapement/core/alerts';
import type { Labels } from '@escapement/core/rights';
import { type Database, query } from '../postgres/database.ts';

/** An alert of which something is to be told: that it fires, that it still does, or that it is over. */
export interface AlertToNotify {
  id: bigint;
  rule: string;
  kind: ConditionKind;
  taskId: string | null;
  labels: Labels;
  state: 'firing' | 'resolved';
  tell: 'firing' | 'resolved' | 'again';
  /** Where its firing was told. */
  notified: readonly Destination[];
  /** Of its task; null: it has none, or the task says nothing. */
  notify: NotifyPolicy | null;
}

/** The first alerts with something to tell, in turn: a page behind an id. */
export async function alertsToNotify(
  db: Database,
  { after, limit }: { after: bigint; limit: number },
): Promise<AlertToNotify[]> {
  return await query<AlertToNotify & { [column: string]: unknown }>(db.pool, 'alerts_to_tell', ALERTS_TO_NOTIFY, [
    db.namespace,
    String(after),
    limit,
  ]);
}

const ALERTS_TO_NOTIFY = `
SELECT a.id, a.rule, a.kind, a.task_id AS "taskId", a.labels, a.state, coalesce(a.tell, 'again') AS tell, a.told AS notified, t.definition->'notify' AS notify
FROM (
  (SELECT * FROM alert WHERE namespace = $1 AND tell IS NOT NULL AND id > $2 ORDER BY id LIMIT $3)
  UNION ALL
  (SELECT * FROM alert WHERE namespace = $1 AND repeat_at <= now() AND state = 'firing' AND tell IS NULL AND acknowledged_at IS NULL
    ORDER BY repeat_at LIMIT $3)
) a LEFT JOIN task t ON t.id = a.task_id
ORDER BY a.id`;

/** What is to be told of an alert, and where. Nowhere: it counts as told. */
export interface Notification {
  id: bigint;
  tell: AlertToNotify['tell'];
  destinations: readonly Destination[];
}

/**
 * Adds alerts to the messages that their groups are gathering, and notes that they are told: all or nothing. What somebody else has told
 * meanwhile is left out. The first message of a group waits a moment for others; the next one until the interval is over.
 */
export async function noteNotifications(db: Database, notifications: readonly Notification[]): Promise<void> {
  if (notifications.length > 0)
    await query(db.pool, 'tell_alerts', NOTE_NOTIFICATIONS, [db.namespace, JSON.stringify(notifications.map(toInput))]);
}

function toInput({ id, ...rest }: Notification) {
  return { ...rest, id: String(id), repeatMs: Math.min(...rest.destinations.map(({ repeatMs }) => repeatMs)) };
}

const NOTE_NOTIFICATIONS = `
WITH input AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS i(id bigint, tell text, destinations jsonb, "repeatMs" float8)
), told AS (
  UPDATE alert a SET muted = NULL,
    -- One that was over before it was told is told once, as such.
    tell = NULL, told = (SELECT coalesce(jsonb_agg(DISTINCT d), '[]') FROM jsonb_array_elements(a.told || i.destinations) d),
    repeat_at = CASE WHEN a.state = 'firing' THEN now() + i."repeatMs" * interval '1 ms' END
  FROM input i WHERE a.namespace = $1 AND a.id = i.id
    AND CASE WHEN i.tell = 'again' THEN a.tell IS NULL AND a.repeat_at <= now() ELSE a.tell = i.tell END
  RETURNING a.id, i.tell, i.destinations
), wanted AS MATERIALIZED (
  SELECT d.receiver, d."group", max(d."groupWaitMs") AS wait_ms, max(d."groupIntervalMs") AS interval_ms,
    array_agg(t.id ORDER BY t.id) AS alerts, bool_and(t.tell = 'again') AS repeated
  FROM told t CROSS JOIN jsonb_to_recordset(t.destinations) AS d(receiver text, "group" text, "groupWaitMs" float8, "groupIntervalMs" float8)
  GROUP BY 1, 2
)
INSERT INTO delivery AS d (namespace, receiver, alert_group, alerts, repeated, try_at)
SELECT $1, w.receiver, w."group", w.alerts, w.repeated, greatest(now() + w.wait_ms * interval '1 ms',
  (SELECT l.created_at FROM delivery l WHERE l.namespace = $1 AND l.receiver = w.receiver AND l.alert_group = w."group" ORDER BY l.id DESC LIMIT 1)
    + w.interval_ms * interval '1 ms')
FROM wanted w
ON CONFLICT (namespace, receiver, alert_group) WHERE state = 'pending' AND tries = 0
DO UPDATE SET alerts = array(SELECT DISTINCT u.id FROM unnest(d.alerts || excluded.alerts) u(id) ORDER BY u.id),
  repeated = d.repeated AND excluded.repeated`;

/** Notes why nobody is told of alerts for now. One that was to be told again is looked at again in a minute. */
export async function muteAlerts(db: Database, muted: readonly { id: bigint; why: string }[]): Promise<void> {
  if (muted.length === 0) return;
  await query(
    db.pool,
    'mute_alerts',
    `UPDATE alert a SET muted = i.why, repeat_at = CASE WHEN a.tell IS NULL THEN now() + interval '1 min' ELSE a.repeat_at END
     FROM unnest($2::bigint[], $3::text[]) AS i(id, why)
     WHERE a.namespace = $1 AND a.id = i.id AND (a.tell IS NULL OR a.muted IS DISTINCT FROM i.why)`,
    [db.namespace, muted.map(({ id }) => String(id)), muted.map(({ why }) => why)],
  );
}

/** An alert that fires, as the cause of others. */
export interface FiringAlert {
  id: bigint;
  rule: string;
  kind: ConditionKind;
  labels: Labels;
}

/** Those that fire, of these kinds: all of the fleet, and of these tasks. */
export async function firingAlerts(
  db: Database,
  { kinds, taskIds }: { kinds: readonly ConditionKind[]; taskIds: readonly string[] },
): Promise<FiringAlert[]> {
  return await query<FiringAlert & { [column: string]: unknown }>(
    db.pool,
    'firing_alerts',
    `SELECT a.id, a.rule, a.kind, a.labels FROM alert a WHERE a.namespace = $1 AND a.state = 'firing'
       AND (a.task_id IS NULL AND a.kind = ANY ($2::text[]) OR a.task_id = ANY ($3::uuid[]))`,
    [db.namespace, kinds, taskIds],
  );
}
