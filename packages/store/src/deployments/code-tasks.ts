import { type By, MINUTE } from '@escapement/core';
import { noteAction, reasonIn, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { isLive } from '../processes/is-live.ts';

/** A worker that has not sent a heartbeat for so long has no say in what the tasks of its code are. Milliseconds. */
export const WORKER_GONE_MS = 1 * MINUTE;

/** From where a worker looks at the tasks of its code. */
export interface CodeView {
  /** The deployment the worker has. */
  deploymentId: string;
  /**
   * For so long after its shutdown a worker counts as if it were there: it may just be starting again. Milliseconds; 0
   * for a worker that starts itself.
   */
  afterShutdownMs: number;
}

/** A task of a worker's code that is not as that code has it. */
export interface CodeTask {
  name: string;
  /** `none`: there is no such task, or it was deleted. */
  status: 'none' | 'deleted' | 'there';
  /** Of the task, where there is one. */
  source: string | null;
  /** Another worker's code that has the say. */
  rival: CodeRival | null;
}

export interface CodeRival {
  app: string;
  release: string | null;
  worker: string;
  /** Of the same application: a later deployment of it. */
  newer: boolean;
  /** It has the very same definition. */
  same: boolean;
}

interface CodeTaskRow {
  name: string;
  status: CodeTask['status'];
  source: string | null;
  rival: CodeRival | null;
}

/** Tasks of this code whose definition is not, or not known to be, that of this deployment; or only that of a name. */
export async function strayCodeTasks(db: Database, view: CodeView, name?: string): Promise<CodeTask[]> {
  return await query<CodeTaskRow & { [column: string]: unknown }>(db.pool, 'stray_code_tasks', STRAY, [
    db.namespace,
    view.deploymentId,
    WORKER_GONE_MS,
    view.afterShutdownMs,
    name ?? null,
  ]);
}

/** Whether a worker has a say: it lives, or shut down a moment ago. */
const HAS_A_SAY = `p.role = 'worker' AND p.heartbeat_at > now() - $3 * interval '1 ms'
  AND (p.stopped_at IS NULL OR p.stopped_at > now() - $4 * interval '1 ms')`;

const STRAY = `
SELECT n.name, CASE WHEN t.id IS NULL THEN 'none' WHEN t.deleted_at IS NOT NULL THEN 'deleted' ELSE 'there' END AS status,
  t.source, to_jsonb(r) AS rival
FROM deployment own CROSS JOIN LATERAL jsonb_each_text(own.tasks) AS n(name, print)
LEFT JOIN task t ON t.namespace = $1 AND t.name = n.name
LEFT JOIN deployment owner ON owner.id = t.deployment_id
LEFT JOIN LATERAL (
  SELECT d.app, d.release, p.id AS worker, d.app = own.app AS newer, d.tasks->>n.name = n.print AS same
  FROM process p JOIN deployment d ON d.id = p.deployment_id
  WHERE p.namespace = $1 AND ${HAS_A_SAY} AND d.tasks ? n.name
    AND (d.app = own.app AND d.id > own.id OR d.app <> own.app AND d.app = owner.app)
  ORDER BY d.id DESC, p.id LIMIT 1
) r ON true
WHERE own.id = $2::bigint AND own.namespace = $1 AND ($5::text IS NULL OR n.name = $5)
  AND (t.id IS NULL OR t.deleted_at IS NOT NULL OR t.source <> 'code' OR t.deployment_id IS DISTINCT FROM own.id)
ORDER BY n.name`;

/** Who made a pause that ends by itself when the code has the task again. */
const BY_CODE = 'code';

/**
 * Notes whose definition a task has now, and ends the pause it got when it had left the code. False: the task is of
 * another version by now. A person's pause is left alone.
 */
export async function claimCodeTask(
  db: Database,
  claim: { name: string; version: number; deploymentId: string; by: By },
): Promise<{ claimed: boolean; resumed: boolean }> {
  const rows = await query<{ resumed: boolean }>(
    db.pool,
    'claim_code_task',
    `WITH claimed AS (
       UPDATE task t SET deployment_id = d.id FROM deployment d
       WHERE t.namespace = $1 AND t.name = $2 AND t.version = $3 AND t.source = 'code' AND t.deleted_at IS NULL
         AND d.id = $4::bigint AND d.namespace = $1 RETURNING t.id
     ), resumed AS (
       UPDATE task_pause p SET until_at = GREATEST(now(), p.from_at) FROM claimed c
       WHERE p.task_id = c.id AND p.created_by = '${BY_CODE}' AND (p.until_at IS NULL OR p.until_at > now())
       RETURNING 1
     ), noted AS (
       ${noteAction({
         by: '$5',
         action: "'resume'",
         subject: "'task:' || $2::text",
         from: '(SELECT WHERE EXISTS (SELECT FROM resumed)) r',
       })}
     )
     SELECT EXISTS (SELECT FROM resumed) AS resumed FROM claimed`,
    [db.namespace, claim.name, claim.version, claim.deploymentId, toActing(claim.by)],
  );
  return { claimed: rows.length > 0, resumed: rows[0]?.resumed ?? false };
}

/**
 * Pauses the tasks that have left the code: this deployment is the newest of its application with a living worker, could
 * be loaded whole and has them no more, and nor has any worker with a say. Once each: what a person resumes then stays so.
 * Returns their names. The note of the pause is the reason, with the time.
 */
export async function pauseLeftTasks(db: Database, view: CodeView, by: By): Promise<string[]> {
  const rows = await query<{ name: string }>(db.pool, 'pause_left_tasks', PAUSE_LEFT, [
    db.namespace,
    view.deploymentId,
    WORKER_GONE_MS,
    view.afterShutdownMs,
    toActing(by),
  ]);
  return rows.map(({ name }) => name);
}

const PAUSE_LEFT = `
WITH talking AS (
  SELECT d.id, d.app, d.tasks, p.stopped_at FROM process p JOIN deployment d ON d.id = p.deployment_id
  WHERE p.namespace = $1 AND ${HAS_A_SAY}
), left_code AS (
  UPDATE task t SET deployment_id = NULL
  FROM deployment own, deployment owner
  WHERE own.id = $2::bigint AND own.namespace = $1 AND own.whole
    AND NOT EXISTS (SELECT FROM talking o WHERE o.app = own.app AND o.id > own.id AND o.stopped_at IS NULL)
    AND t.namespace = $1 AND t.source = 'code' AND t.deleted_at IS NULL
    AND owner.id = t.deployment_id AND owner.app = own.app AND NOT own.tasks ? t.name
    AND NOT EXISTS (SELECT FROM talking o WHERE o.tasks ? t.name)
  RETURNING t.id, t.name
), paused AS (
  INSERT INTO task_pause (task_id, from_at, note, created_by) SELECT id, now(),
    ${reasonIn('$5')} || to_char(now() AT TIME ZONE 'UTC', ', YYYY-MM-DD HH24:MI:SS "UTC"'), '${BY_CODE}' FROM left_code
), noted AS (
  ${noteAction({ by: '$5', action: "'pause'", subject: "'task:' || l.name", from: 'left_code l' })}
)
SELECT name FROM left_code ORDER BY name`;

/**
 * Sends the runs of tasks whose code this deployment has to the queue of the application that has it now (SQL function place_code_tasks).
 * `all`: also those that stayed behind when their task was sent there. Returns how many tasks and runs went elsewhere.
 */
export async function placeCodeTasks(
  db: Database,
  deploymentId: string,
  options: { all: boolean },
): Promise<{ tasks: number; runs: number }> {
  const [row] = await query<{ tasks: number; runs: number }>(
    db.pool,
    'place_code_tasks',
    'SELECT tasks, runs FROM place_code_tasks($1, $2::bigint, $3)',
    [db.namespace, deploymentId, options.all],
  );
  return row ?? { tasks: 0, runs: 0 };
}

/** Whether a worker of the pool, other than the one that asks, has this task in its code. */
export async function codeIsElsewhere(
  db: Database,
  question: { name: string; pool: string; worker: string },
): Promise<boolean> {
  const rows = await query(
    db.pool,
    'code_is_elsewhere',
    `SELECT 1 FROM process p JOIN deployment d ON d.id = p.deployment_id
     WHERE p.namespace = $1 AND p.role = 'worker' AND ${isLive('p', '$5')}
       AND p.id <> $4 AND $3 = ANY(p.pools) AND d.tasks ? $2 LIMIT 1`,
    [db.namespace, question.name, question.pool, question.worker, WORKER_GONE_MS],
  );
  return rows.length > 0;
}
