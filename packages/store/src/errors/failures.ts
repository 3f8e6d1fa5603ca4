import type { RunError } from '@escapement/core';
import type { LabelFilter } from '@escapement/core/rights';
import { type Database, query } from '../postgres/database.ts';
import { firstIdAt } from '../runs/run-conditions.ts';
import { hasLabels, toSelectors } from '../tasks/task-labels.ts';

/** Why a run has failed for good. */
export interface FailedRun {
  id: string;
  taskName: string;
  reason: string | null;
  error: Pick<RunError, 'name' | 'message' | 'stack'> | null;
}

/** Which failures: of these tasks, scheduled in this time. */
export interface FailureFilter {
  since: Date;
  until?: Date | undefined;
  taskName?: string | undefined;
  labels?: LabelFilter | undefined;
}

/** The fingerprint of a failure. */
export interface Fingerprinted {
  runId: string;
  fingerprint: string;
}

/** Failures that are taken for the same. */
export interface FailureCount {
  fingerprint: string;
  count: number;
  /** When the first and the last of them ended. */
  firstAt: Date;
  lastAt: Date;
  /** When the first failure of all ended that the ledger has of these tasks, also before the time that is asked for. */
  firstSeenAt: Date;
  /** The one of these tasks that was scheduled first, as far back as that. */
  firstRunId: string;
  /** The one that was scheduled last. */
  lastRunId: string;
  /** The tasks that have failed most, the most frequent first; at most ten. */
  tasks: { name: string; count: number }[];
  taskCount: number;
  /** By the hour in which they ended, the first hour first, without those that had none. */
  hours: { at: Date; count: number }[];
}

/** Characters of a stack that are looked at: the first own place is near its top. */
const STACK = 4000;
const MESSAGE = 2000;
/** Tasks of a group that are named. */
const NAMED = 10;

const WHY = `r.reason, CASE WHEN r.error IS NOT NULL THEN jsonb_strip_nulls(jsonb_build_object(
  'name', r.error->>'name', 'message', left(r.error->>'message', ${MESSAGE}), 'stack', left(r.error->>'stack', ${STACK}))) END AS error`;

/** With which deployment a failure ran: that of its worker, if the task is in its code. A worker's row goes a day after its end. */
const codeOf = (failure: string): string => `(SELECT d.id FROM any_run r
  JOIN process p ON p.id = r.worker AND p.namespace = $1 JOIN deployment d ON d.id = p.deployment_id JOIN task t ON t.id = r.task_id
  WHERE r.id = ANY (ARRAY[${failure}.run_id]) AND r.scheduled_for = ${failure}.scheduled_for AND d.tasks ? t.name)`;

/** Failures of which nobody has made the fingerprint yet, the latest first; at most so many. */
export async function ungroupedFailures(db: Database, limit: number): Promise<FailedRun[]> {
  return await query<FailedRun & { [column: string]: unknown }>(
    db.pool,
    'ungrouped_failures',
    `SELECT f.run_id AS id, coalesce(t.name, '') AS "taskName", ${WHY}
     FROM (SELECT * FROM failure WHERE namespace = $1 AND fingerprint IS NULL ORDER BY run_id DESC LIMIT $2) f
     LEFT JOIN any_run r ON r.id = ANY (ARRAY[f.run_id]) AND r.scheduled_for = f.scheduled_for LEFT JOIN task t ON t.id = f.task_id
     ORDER BY f.run_id DESC`,
    [db.namespace, limit],
  );
}

/** Keeps fingerprints, and with which code the runs failed. Two who do so at once do not wait for each other. */
export async function keepFingerprints(db: Database, given: readonly Fingerprinted[]): Promise<void> {
  await query(
    db.pool,
    'keep_fingerprints',
    `WITH mine AS (
       SELECT f.run_id, i.fingerprint FROM unnest($2::uuid[], $3::text[]) AS i(run_id, fingerprint)
       JOIN failure f ON f.namespace = $1 AND f.run_id = i.run_id AND f.fingerprint IS NULL FOR UPDATE OF f SKIP LOCKED
     )
     UPDATE failure f SET fingerprint = m.fingerprint, deployment_id = ${codeOf('f')} FROM mine m WHERE f.namespace = $1 AND f.run_id = m.run_id`,
    [db.namespace, ...columnsOf(given)],
  );
}

/**
 * Failures by fingerprint, those of the most failures first; of so many that were scheduled last. `ungrouped`: fingerprints that are not kept yet.
 * `lookedBackTo`: when the first of those ended, where there may be more.
 */
export async function countFailures(
  db: Database,
  filter: FailureFilter,
  { limit, ungrouped }: { limit: number; ungrouped: readonly Fingerprinted[] },
): Promise<{ groups: FailureCount[]; lookedBackTo: Date | null }> {
  const { condition, ofTasks, values } = conditionOf(db, filter, limit);
  const [ids, prints] = columnsOf(ungrouped).map((column) => `$${values.push(column)}`);
  const found = `SELECT f.run_id, f.task_id, f.finished_at, coalesce(f.fingerprint, i.fingerprint) AS fingerprint
    FROM (SELECT f.* FROM failure f WHERE ${condition} ORDER BY f.run_id DESC LIMIT $2) f
    LEFT JOIN unnest(${ids}::uuid[], ${prints}::text[]) AS i(run_id, fingerprint) ON i.run_id = f.run_id`;
  // Planned anew each time, as lists by error are.
  const rows = await query<CountRow>(db.pool, '', countsOf(found, ofTasks), values);
  return { groups: rows.map(toCount), lookedBackTo: rows[0]?.looked === limit ? rows[0].cut : null };
}

function toCount({ looked: _looked, cut: _cut, ownFirst: _ownFirst, hours, ...count }: CountRow): FailureCount {
  return { ...count, hours: hours.map((hour) => ({ at: new Date(hour.at), count: hour.count })) };
}

function columnsOf(given: readonly Fingerprinted[]): [string[], string[]] {
  return [given.map(({ runId }) => runId), given.map(({ fingerprint }) => fingerprint)];
}

interface CountRow extends Omit<FailureCount, 'hours'> {
  hours: { at: string; count: number }[];
  /** Failures that were looked at, and when the first of them ended. */
  looked: number;
  cut: Date;
  /** The first run of those that were looked at. */
  ownFirst: string;
  [column: string]: unknown;
}

/** The runs of a group, the latest first; at most so many. */
export async function runsOfFingerprint(
  db: Database,
  fingerprint: string,
  filter: FailureFilter,
  { limit, ungrouped }: { limit: number; ungrouped: readonly Fingerprinted[] },
): Promise<{ id: string; taskName: string }[]> {
  const same = ungrouped.filter((each) => each.fingerprint === fingerprint);
  const { condition, values } = conditionOf(db, filter, limit);
  const print = `$${values.push(fingerprint)}::text`;
  const own = `$${values.push(same.map(({ runId }) => runId))}::uuid[]`;
  return await query(
    db.pool,
    '',
    `SELECT f.run_id AS id, t.name AS "taskName" FROM (
       SELECT f.* FROM failure f WHERE ${condition} AND f.fingerprint = ${print}
       UNION ALL SELECT f.* FROM failure f WHERE ${condition} AND f.fingerprint IS NULL AND f.run_id = ANY (${own})
     ) f JOIN task t ON t.id = f.task_id ORDER BY f.run_id DESC LIMIT $2`,
    values,
  );
}

/** Why these runs have failed, by id. */
export async function whyFailed(db: Database, runIds: readonly string[]): Promise<Map<string, FailedRun>> {
  const rows = await query<FailedRun & { [column: string]: unknown }>(
    db.hot,
    'why_failed',
    `SELECT f.run_id AS id, t.name AS "taskName", ${WHY} FROM failure f
     JOIN any_run r ON r.id = ANY (ARRAY[f.run_id]) AND r.scheduled_for = f.scheduled_for JOIN task t ON t.id = f.task_id
     WHERE f.namespace = $1 AND f.run_id = ANY ($2::uuid[])`,
    [db.namespace, runIds],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** What a failed run ran as. */
export interface FailedRelease {
  release: string;
  /** The one of the same application before it; null: there was none, it had no name, or it is not known any more. */
  before: string | null;
}

/** Of which release the code was that these runs failed with, by id; without those of which that is not known. */
export async function releasesOfFailures(
  db: Database,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, FailedRelease>> {
  const rows = await query<FailedRelease & { id: string; [column: string]: unknown }>(
    db.hot,
    'releases_of_failures',
    `SELECT f.run_id AS id, d.release, (SELECT b.release FROM deployment b WHERE b.namespace = $1 AND b.app = d.app AND b.id < d.id
         AND b.release IS DISTINCT FROM d.release ORDER BY b.id DESC LIMIT 1) AS before
     FROM failure f JOIN deployment d ON d.id = coalesce(f.deployment_id, ${codeOf('f')}) AND d.namespace = $1
     WHERE f.namespace = $1 AND f.run_id = ANY ($2::uuid[]) AND d.release IS NOT NULL`,
    [db.namespace, runIds],
  );
  return new Map(rows.map(({ id, release, before }) => [id, { release, before }]));
}

const LAST = new Date('9999-12-31T00:00:00Z');

/** Of a failure `f`: that it is of these tasks, and that it is of this time as well. `$1`: the namespace, `$2`: the limit. */
function conditionOf(db: Database, { since, until = LAST, taskName, labels }: FailureFilter, limit: number) {
  const values: unknown[] = [db.namespace, limit, firstIdAt(since), firstIdAt(until)];
  const terms = [
    ...(taskName === undefined ? [] : [`t.name = $${values.push(taskName)}::text`]),
    ...(labels ? [hasLabels('t', `$${values.push(toSelectors(labels))}`)] : []),
  ];
  const ids = `SELECT t.id FROM task t WHERE ${['t.namespace = $1', ...terms].join(' AND ')}`;
  const ofTasks = terms.length === 0 ? 'true' : `f.task_id = ANY (ARRAY(${ids}))`;
  return {
    condition: `f.namespace = $1 AND f.run_id >= $3::uuid AND f.run_id < $4::uuid AND ${ofTasks}`,
    ofTasks,
    values,
  };
}

const countsOf = (found: string, ofTasks: string): string => `
WITH found AS MATERIALIZED (${found}), of_task AS (
  SELECT f.fingerprint, f.task_id, count(*)::integer AS count FROM found f GROUP BY 1, 2
), of_hour AS (
  SELECT f.fingerprint, date_bin('1 hour', f.finished_at, 'epoch') AS at, count(*)::integer AS count FROM found f GROUP BY 1, 2
), groups AS (
  SELECT f.fingerprint, count(*)::integer AS count, min(f.finished_at) AS "firstAt", max(f.finished_at) AS "lastAt",
    max(f.run_id::text COLLATE "C")::uuid AS "lastRunId",
    min(f.run_id::text COLLATE "C")::uuid AS "ownFirst" FROM found f WHERE f.fingerprint IS NOT NULL GROUP BY 1
), looked AS (
  SELECT count(*)::integer AS looked, min(f.finished_at) AS cut FROM found f
)
SELECT g.*, l.*, least(e.finished_at, g."firstAt") AS "firstSeenAt", least(e.run_id, g."ownFirst") AS "firstRunId", n.tasks, n."taskCount", h.hours
FROM groups g CROSS JOIN looked l
LEFT JOIN LATERAL (SELECT f.run_id, f.finished_at FROM failure f WHERE f.namespace = $1 AND f.fingerprint = g.fingerprint AND ${ofTasks} ORDER BY f.run_id LIMIT 1) e ON true
JOIN (SELECT o.fingerprint, jsonb_agg(jsonb_build_object('at', o.at, 'count', o.count) ORDER BY o.at) AS hours FROM of_hour o GROUP BY 1) h USING (fingerprint)
JOIN (SELECT o.fingerprint, max(o.of_all)::integer AS "taskCount", jsonb_agg(jsonb_build_object('name',
    (SELECT t.name FROM task t WHERE t.id = o.task_id), 'count', o.count) ORDER BY o.place) FILTER (WHERE o.place <= ${NAMED}) AS tasks
  FROM (SELECT o.*, row_number() OVER (PARTITION BY o.fingerprint ORDER BY o.count DESC, o.task_id) AS place, count(*) OVER (PARTITION BY o.fingerprint) AS of_all
    FROM of_task o) o GROUP BY 1) n USING (fingerprint)
ORDER BY g.count DESC, g."lastAt" DESC`;
