import type { ConditionKind, Labels, Severity } from '@escapement/core';
import { type Database, query } from '../database.ts';

/** That a rule's condition is met. */
export interface AlertFinding {
  rule: string;
  kind: ConditionKind;
  severity: Severity;
  /** What it is about: one alert of a rule for each is open at a time. As `task:ID`, `pool:NAME`, `name:NAME`, `fleet`. */
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

/**
 * Opens alerts for what has happened, or counts it to those that are open, and forgets the facts that it was read from, all or nothing.
 * Does nothing where somebody else has judged one of the facts. False then.
 */
export async function openAlerts(
  db: Database,
  findings: readonly AlertFinding[],
  facts: readonly bigint[],
): Promise<boolean> {
  const [row] = await query<{ mine: boolean }>(db.pool, 'open_alerts', OPEN_ALERTS, [
    db.namespace,
    JSON.stringify(findings),
    facts.map(String),
  ]);
  return row?.mine ?? false;
}

const OPEN_ALERTS = `
WITH judged AS (
  DELETE FROM alert_fact f WHERE f.namespace = $1 AND f.id = ANY ($3::bigint[]) RETURNING f.id
), mine AS MATERIALIZED (
  SELECT count(*) = cardinality($3::bigint[]) AS all_of_them FROM judged
), opened AS (
  INSERT INTO alert AS a (${COLUMNS}, state, fire_at, fired_at, tell)
  SELECT ${VALUES}, i.since, i.since, 'firing', now(), now(), 'firing' FROM ${INPUT}, mine m WHERE m.all_of_them
  ON CONFLICT (namespace, rule, subject) WHERE state <> 'resolved'
  DO UPDATE SET summary = excluded.summary, why = excluded.why, labels = excluded.labels, severity = excluded.severity, seen = a.seen + 1,
    last_at = greatest(a.last_at, excluded.last_at),
    runs = (SELECT coalesce(jsonb_agg(r.run ORDER BY r.place), '[]') FROM jsonb_array_elements(excluded.runs || a.runs)
      WITH ORDINALITY AS r(run, place) WHERE r.place <= 5)
)
SELECT m.all_of_them AS mine FROM mine m`;

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

/** Nobody waits for the end of what was never told. */
export const RESOLVE = `state = 'resolved', resolved_at = now(), repeat_at = NULL,
  tell = CASE WHEN a.tell = 'firing' THEN 'firing' WHEN a.told <> '[]' THEN 'resolved' END`;

const SETTLE_ALERTS = `
WITH input AS MATERIALIZED (SELECT i.* FROM ${INPUT}),
opened AS (
  INSERT INTO alert AS a (${COLUMNS}, state, fire_at, fired_at, tell)
  SELECT ${VALUES}, i.since, now(), CASE WHEN i."forMs" = 0 THEN 'firing' ELSE 'pending' END, now() + i."forMs" * interval '1 ms',
    CASE WHEN i."forMs" = 0 THEN now() END, CASE WHEN i."forMs" = 0 THEN 'firing' END FROM input i
  ON CONFLICT (namespace, rule, subject) WHERE state <> 'resolved'
  DO UPDATE SET summary = excluded.summary, why = excluded.why, runs = excluded.runs, last_at = now(),
    state = CASE WHEN a.fire_at <= now() THEN 'firing' ELSE a.state END,
    fired_at = CASE WHEN a.state = 'pending' AND a.fire_at <= now() THEN now() ELSE a.fired_at END,
    tell = CASE WHEN a.state = 'pending' AND a.fire_at <= now() THEN 'firing' ELSE a.tell END
  WHERE a.state = 'pending' AND a.fire_at <= now() OR (a.summary, a.why, a.runs) IS DISTINCT FROM (excluded.summary, excluded.why, excluded.runs)
), over AS MATERIALIZED (
  SELECT a.id, a.state FROM alert a WHERE a.namespace = $1 AND a.state <> 'resolved' AND a.rule = ANY ($3::text[])
    AND NOT EXISTS (SELECT FROM input i WHERE i.rule = a.rule AND i.subject = a.subject)
), gone AS (
  DELETE FROM alert a USING over o WHERE a.id = o.id AND o.state = 'pending'
)
UPDATE alert a SET ${RESOLVE} FROM over o WHERE a.id = o.id AND o.state = 'firing' AND a.state = 'firing'`;

/** Ends alerts that are over, for these reasons; null: what it said is not so any more. */
export async function resolveAlerts(db: Database, over: readonly { id: bigint; why: string | null }[]): Promise<void> {
  await query(
    db.pool,
    'resolve_alerts',
    `UPDATE alert a SET ${RESOLVE}, resolved_why = i.why FROM unnest($2::bigint[], $3::text[]) AS i(id, why)
     WHERE a.namespace = $1 AND a.id = i.id AND a.state <> 'resolved'`,
    [db.namespace, over.map(({ id }) => String(id)), over.map(({ why }) => why)],
  );
}

/** An open alert, as far as it is to be judged again. */
export interface OpenAlert {
  id: bigint;
  rule: string;
  kind: ConditionKind;
  subject: string;
  taskId: string | null;
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
    `SELECT a.id, a.rule, a.kind, a.subject, a.task_id AS "taskId", a.labels, a.last_at AS "lastAt" FROM alert a
     WHERE a.namespace = $1 AND a.state <> 'resolved' AND a.kind = ANY ($2::text[]) AND a.id > $3 ORDER BY a.id LIMIT $4`,
    [db.namespace, question.kinds, String(question.after), question.limit],
  );
}

/** Ends the alerts of rules that are not there any more. */
export async function resolveOrphans(db: Database, rules: readonly string[]): Promise<void> {
  await query(
    db.pool,
    'resolve_orphans',
    `UPDATE alert a SET ${RESOLVE}, resolved_why = 'its rule is not in force any more'
     WHERE a.namespace = $1 AND a.state <> 'resolved' AND NOT a.rule = ANY ($2::text[])`,
    [db.namespace, rules],
  );
}
