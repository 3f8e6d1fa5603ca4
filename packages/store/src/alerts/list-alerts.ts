import type { By } from '@escapement/core';
import type { ConditionKind, Destination, Severity } from '@escapement/core/alerts';
import type { LabelFilter, Labels } from '@escapement/core/rights';
import { nameIn, noteAction, reasonIn, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { meetsLabels, toSelectors } from '../tasks/task-labels.ts';

export type AlertState = 'pending' | 'firing' | 'resolved';

/** An alert, as people look at it. */
export interface AlertView {
  id: bigint;
  rule: string;
  kind: ConditionKind;
  severity: Severity;
  /** Of its task; null: it is about a pool or the fleet, or its task is not there. */
  taskName: string | null;
  labels: Labels;
  state: AlertState;
  summary: string;
  why: string[];
  /** The latest runs that it is told by, the last one first. */
  runs: { id: string; scheduledFor: string }[];
  /** How often it was seen. */
  seen: number;
  since: Date;
  firedAt: Date | null;
  acknowledgedAt: Date | null;
  acknowledgedBy: string | null;
  /** What was said at the acknowledgement. */
  note: string | null;
  resolvedAt: Date | null;
  resolvedWhy: string | null;
  /** Why nobody is told of it for now; null: nothing keeps it. */
  muted: string | null;
  notified: Destination[];
}

const ALERT_VIEW = `a.id, a.rule, a.kind, a.severity, t.name AS "taskName", a.labels, a.state, a.summary, a.why, a.runs, a.seen, a.since,
  a.fired_at AS "firedAt", a.acknowledged_at AS "acknowledgedAt", a.acknowledged_by AS "acknowledgedBy", a.note,
  a.resolved_at AS "resolvedAt", a.resolved_why AS "resolvedWhy", a.muted, a.told AS notified`;

export interface AlertFilter {
  /** Default: those that are open. */
  states?: readonly AlertState[] | undefined;
  taskName?: string | undefined;
  /** Only those of such a condition. */
  kind?: ConditionKind | undefined;
  /** Only of tasks that have these; none of pools, and none of the fleet. */
  labels?: LabelFilter | undefined;
  /** Only those before the one of this id. */
  before?: bigint | undefined;
  limit: number;
}

/** Alerts, the latest first. */
export async function listAlerts(db: Database, filter: AlertFilter): Promise<AlertView[]> {
  return await query<AlertView & { [column: string]: unknown }>(
    db.pool,
    'list_alerts',
    `SELECT ${ALERT_VIEW} FROM alert a LEFT JOIN task t ON t.id = a.task_id
     WHERE a.namespace = $1 AND a.state = ANY ($2::text[]) AND ($3::text IS NULL OR t.name = $3) AND ($7::text IS NULL OR a.kind = $7)
       AND ($6::bigint IS NULL OR a.id < $6::bigint) AND ${meetsLabels('t', '$5')} ORDER BY a.id DESC LIMIT $4`,
    [
      db.namespace,
      filter.states ?? ['pending', 'firing'],
      filter.taskName ?? null,
      filter.limit,
      toSelectors(filter.labels),
      filter.before?.toString() ?? null,
      filter.kind ?? null,
    ],
  );
}

/** Null: there is none of this id, or its task has not these labels. */
export async function findAlert(db: Database, id: bigint, labels?: LabelFilter): Promise<AlertView | null> {
  const [row] = await query<AlertView & { [column: string]: unknown }>(
    db.pool,
    'find_alert',
    `SELECT ${ALERT_VIEW} FROM alert a LEFT JOIN task t ON t.id = a.task_id WHERE a.namespace = $1 AND a.id = $2
       AND ${meetsLabels('t', '$3')}`,
    [db.namespace, String(id), toSelectors(labels)],
  );
  return row ?? null;
}

/** Notes that somebody looks after a firing alert: it is not told again until it is over. False: it does not fire, or was acknowledged. */
export async function acknowledgeAlert(db: Database, { id, by }: { id: bigint; by: By }): Promise<boolean> {
  const rows = await query(db.pool, 'acknowledge_alert', ACKNOWLEDGE, [db.namespace, toActing(by), String(id)]);
  return rows.length > 0;
}

const ACKNOWLEDGE = `
WITH acknowledged AS (
  UPDATE alert a SET acknowledged_at = now(), acknowledged_by = ${nameIn('$2')}, note = ${reasonIn('$2')}, repeat_at = NULL
  WHERE a.namespace = $1 AND a.id = $3 AND a.state = 'firing' AND a.acknowledged_at IS NULL
  RETURNING a.id
), noted AS (
  ${noteAction({ by: '$2', action: "'acknowledge'", subject: "'alert:' || a.id", from: 'acknowledged a' })}
)
SELECT FROM acknowledged`;

/** Marks that rules have left on runs that succeeded. */
export async function marksOf(
  db: Database,
  runIds: readonly string[],
): Promise<{ runId: string; rule: string; detail: string }[]> {
  return await query<{ runId: string; rule: string; detail: string; [column: string]: unknown }>(
    db.pool,
    'marks_of',
    `SELECT run_id AS "runId", rule, detail FROM run_mark WHERE namespace = $1 AND run_id = ANY ($2::uuid[]) ORDER BY run_id, rule`,
    [db.namespace, runIds],
  );
}
