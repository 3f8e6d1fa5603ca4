import type { ConditionKind, Severity } from '@escapement/core/alerts';
import type { Labels } from '@escapement/core/rights';
import { type Database, query } from '../postgres/database.ts';
import { isRunOf } from '../postgres/scope.ts';
import { type TaskForAlert, taskForAlert } from './facts.ts';

/** That a rule's condition is met. */
export interface AlertFinding {
  rule: string;
  kind: ConditionKind;
  severity: Severity;
  /** What it is about: one alert of a rule for each is open at a time. As `task:ID`, `pool:NAME`, `monitor:ID`, `name:NAME`, `fleet`, or a part of it: `worker:ID`, `token:NAME`. */
  subject: string;
  taskId: string | null;
  labels: Labels;
  summary: string;
  why: readonly string[];
  /** The latest runs that it is told by, the last one first. */
  runs: readonly { id: string; scheduledFor: Date }[];
  since: Date;
  /** It has to be so for so long before it fires. Milliseconds. */
  forMs: number;
}

const INPUT = `jsonb_to_recordset($2::jsonb) AS i("rule" text, "kind" text, "severity" text, "subject" text, "taskId" uuid, "labels" jsonb,
  "summary" text, "why" jsonb, "runs" jsonb, "since" timestamptz, "forMs" float8)`;

const COLUMNS = `namespace, rule, kind, severity, subject, task_id, labels, summary, why, runs, since, last_at`;
const VALUES = `$1, i.rule, i.kind, i.severity, i.subject, i."taskId", i.labels, i.summary, i.why, i.runs`;

/** That a rule found something wrong with a run that succeeded. */
export interface RunMark {
  id: string;
  scheduledFor: Date;
  rule: string;
  detail: string;
}

/**
 * Opens alerts for what has happened, or counts it to those that are open, forgets the facts that it was read from, and marks runs: all or
 * nothing. Does nothing where somebody else has judged one of the facts. What is told by a run with a mark opens nothing where the mark was
 * there.
 */
export async function openAlerts(
  db: Database,
  findings: readonly AlertFinding[],
  { facts = [], marks = [] }: { facts?: readonly bigint[]; marks?: readonly RunMark[] } = {},
): Promise<void> {
  await query(db.pool, 'open_alerts', OPEN_ALERTS, [
    db.namespace,
    JSON.stringify(findings),
    facts.map(String),
    JSON.stringify(marks),
  ]);
}

const OPEN_ALERTS = `
WITH judged AS (
  DELETE FROM alert_fact f WHERE f.namespace = $1 AND f.id = ANY ($3::bigint[]) RETURNING f.id
), mine AS MATERIALIZED (
  SELECT FROM judged HAVING count(*) = cardinality($3::bigint[])
), marks AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset($4::jsonb) AS m(id uuid, "scheduledFor" timestamptz, rule text, detail text)
), marked AS (
  INSERT INTO run_mark (run_id, scheduled_for, namespace, rule, detail)
  SELECT m.id, m."scheduledFor", $1, m.rule, m.detail FROM marks m WHERE ${isRunOf('$1', 'm.id', 'm."scheduledFor"')}
  ON CONFLICT DO NOTHING
  RETURNING run_id, rule
)
INSERT INTO alert AS a (${COLUMNS}, state, fire_at, fired_at, tell)
SELECT ${VALUES}, i.since, i.since, 'firing', now(), now(), 'firing' FROM ${INPUT}, mine
WHERE NOT EXISTS (SELECT FROM marks m WHERE m.rule = i.rule AND m.id = (i.runs->0->>'id')::uuid
  AND NOT EXISTS (SELECT FROM marked n WHERE n.rule = m.rule AND n.run_id = m.id))
ON CONFLICT (namespace, rule, subject) WHERE state <> 'resolved'
DO UPDATE SET summary = excluded.summary, why = excluded.why, labels = excluded.labels, severity = excluded.severity, seen = a.seen + 1,
  last_at = greatest(a.last_at, excluded.last_at),
  runs = (SELECT coalesce(jsonb_agg(r.run ORDER BY r.place), '[]') FROM jsonb_array_elements(excluded.runs || a.runs)
    WITH ORDINALITY AS r(run, place) WHERE r.place <= 5)`;

/**
 * Makes the open alerts of these rules what they are now: opens those that are new, has those fire that were pending for long enough, and
 * resolves those that are not so any more. One that was never told of and goes while it is pending leaves nothing.
 */
export async function settleAlerts(
  db: Database,
  rules: readonly string[],
  findings: readonly AlertFinding[],
): Promise<void> {
  await query(db.pool, 'settle_alerts', SETTLE_ALERTS, [db.namespace, JSON.stringify(findings), rules]);
}

/**
 * Ends those of `over` (id, state, why). Of one that is still pending nothing is left; nobody waits for the end of what was never told.
 */
const END = `gone AS (
  DELETE FROM alert a USING over o WHERE a.id = o.id AND o.state = 'pending'
)
UPDATE alert a SET state = 'resolved', resolved_at = now(), resolved_why = o.why, repeat_at = NULL,
  tell = CASE WHEN a.tell = 'firing' THEN 'firing' WHEN a.told <> '[]' THEN 'resolved' END
FROM over o WHERE a.id = o.id AND o.state = 'firing' AND a.state = 'firing'`;

const SETTLE_ALERTS = `
WITH input AS MATERIALIZED (SELECT i.* FROM ${INPUT}),
opened AS (
  INSERT INTO alert AS a (${COLUMNS}, state, fire_at, fired_at, tell)
  SELECT ${VALUES}, i.since, now(), CASE WHEN i."forMs" = 0 THEN 'firing' ELSE 'pending' END, now() + i."forMs" * interval '1 ms',
    CASE WHEN i."forMs" = 0 THEN now() END, CASE WHEN i."forMs" = 0 THEN 'firing' END FROM input i
  ON CONFLICT (namespace, rule, subject) WHERE state <> 'resolved'
  DO UPDATE SET summary = excluded.summary, why = excluded.why, runs = excluded.runs, labels = excluded.labels, severity = excluded.severity,
    last_at = now(), state = CASE WHEN a.fire_at <= now() THEN 'firing' ELSE a.state END,
    fired_at = CASE WHEN a.state = 'pending' AND a.fire_at <= now() THEN now() ELSE a.fired_at END,
    tell = CASE WHEN a.state = 'pending' AND a.fire_at <= now() THEN 'firing' ELSE a.tell END
  WHERE a.state = 'pending' AND a.fire_at <= now() OR (a.summary, a.why, a.runs, a.labels, a.severity)
    IS DISTINCT FROM (excluded.summary, excluded.why, excluded.runs, excluded.labels, excluded.severity)
), over AS MATERIALIZED (
  SELECT a.id, a.state, NULL::text AS why FROM alert a WHERE a.namespace = $1 AND a.state <> 'resolved' AND a.rule = ANY ($3::text[])
    AND NOT EXISTS (SELECT FROM input i WHERE i.rule = a.rule AND i.subject = a.subject)
), ${END}`;

/** Ends alerts that are over. `why`: where it is for another reason than that their condition is not met any more. */
export async function resolveAlerts(db: Database, ids: readonly bigint[], why: string | null = null): Promise<void> {
  if (ids.length > 0) await query(db.pool, 'resolve_alerts', RESOLVE_ALERTS, [db.namespace, ids.map(String), why]);
}

const RESOLVE_ALERTS = `
WITH over AS MATERIALIZED (
  SELECT a.id, a.state, $3::text AS why FROM alert a WHERE a.namespace = $1 AND a.id = ANY ($2::bigint[]) AND a.state <> 'resolved'
), ${END}`;

/** An open alert, as far as it is to be judged again. */
export interface OpenAlert {
  id: bigint;
  rule: string;
  kind: ConditionKind;
  subject: string;
  taskId: string | null;
  /** As it is now; null: it is about none. */
  task: TaskForAlert | null;
  labels: Labels;
  lastAt: Date;
}

/** Open alerts of these kinds, of a page: behind an id, by id. */
export async function openAlertsOf(
  db: Database,
  question: { kinds: readonly ConditionKind[]; after: bigint; limit: number },
): Promise<OpenAlert[]> {
  return await query<OpenAlert & { [column: string]: unknown }>(
    db.pool,
    'open_alerts_of',
    `SELECT a.id, a.rule, a.kind, a.subject, a.task_id AS "taskId", CASE WHEN t.id IS NOT NULL THEN ${taskForAlert('t')} END AS task, a.labels,
       a.last_at AS "lastAt"
     FROM alert a LEFT JOIN task t ON t.id = a.task_id AND t.namespace = a.namespace
     WHERE a.namespace = $1 AND a.state <> 'resolved' AND a.kind = ANY ($2::text[]) AND a.id > $3 ORDER BY a.id LIMIT $4`,
    [db.namespace, question.kinds, String(question.after), question.limit],
  );
}

/** A rule that is in force. One of the same name that asks for something else is another. */
export interface RuleInForce {
  name: string;
  kind: ConditionKind;
}

/** Ends the alerts of rules that are not in force any more, and those of these kinds whose task was deleted. */
export async function resolveOrphans(
  db: Database,
  { rules, kinds }: { rules: readonly RuleInForce[]; kinds: readonly ConditionKind[] },
): Promise<void> {
  await query(db.pool, 'resolve_orphans', RESOLVE_ORPHANS, [
    db.namespace,
    rules.map(({ name }) => name),
    rules.map(({ kind }) => kind),
    kinds,
  ]);
}

const RESOLVE_ORPHANS = `
WITH over AS MATERIALIZED (
  SELECT a.id, a.state, CASE WHEN i.name IS NULL THEN 'its rule is not in force any more' ELSE 'its task was deleted' END AS why
  FROM alert a LEFT JOIN unnest($2::text[], $3::text[]) AS i(name, kind) ON i.name = a.rule AND i.kind = a.kind
  LEFT JOIN task t ON t.id = a.task_id
  WHERE a.namespace = $1 AND a.state <> 'resolved'
    AND (i.name IS NULL OR a.kind = ANY ($4::text[]) AND t.deleted_at IS NOT NULL)
), ${END}`;
