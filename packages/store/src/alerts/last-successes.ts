import type { NotifyPolicy } from '@escapement/core';
import { type Database, query } from '../postgres/database.ts';
import { isLeftToCron, leftByCronAt } from '../shadow/handovers.ts';
import { type TaskForAlert, taskForAlert } from './facts.ts';

/** A task as rules look at it. */
export interface RuledTask extends TaskForAlert {
  notify: NotifyPolicy | null;
  /** cron still runs it: that it does not run here is as it should be. */
  isShadow: boolean;
}

/** The tasks that are there, for rules that look at each, and whom they name themselves. */
export async function tasksForAlerts(db: Database): Promise<RuledTask[]> {
  const rows = await query<{ task: TaskForAlert } & Omit<RuledTask, keyof TaskForAlert>>(
    db.pool,
    'tasks_for_alerts',
    `SELECT ${taskForAlert('t')} AS task, t.definition->'notify' AS notify, ${isLeftToCron('t', 'now()')} AS "isShadow"
     FROM task t WHERE t.namespace = $1 AND t.deleted_at IS NULL`,
    [db.namespace],
  );
  return rows.map(({ task, notify, isShadow }) => ({ ...task, notify, isShadow }));
}

/** Says the same as long as no task was saved, renamed, deleted, or given from cron to the fleet or back. */
export async function tasksFingerprint(db: Database): Promise<string> {
  const [row] = await query<{ fingerprint: string }>(
    db.pool,
    'tasks_fingerprint',
    `SELECT concat_ws(' ', count(*), max(updated_at), sum(hashtext(name)::bigint),
       (SELECT count(*) FROM cron_cutover c WHERE c.namespace = $1 AND c.state = 'taken' AND c.at <= now())) AS fingerprint FROM task
     WHERE namespace = $1 AND deleted_at IS NULL`,
    [db.namespace],
  );
  return row?.fingerprint ?? '';
}

/** Says the same as long as the tasks of these names stay the same ones. */
export async function namedTasksFingerprint(db: Database, names: readonly string[]): Promise<string> {
  const [row] = await query<{ fingerprint: string }>(
    db.pool,
    'named_tasks_fingerprint',
    `SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') AS fingerprint FROM task
     WHERE namespace = $1 AND name = ANY ($2::text[]) AND deleted_at IS NULL`,
    [db.namespace, names],
  );
  return row?.fingerprint ?? '';
}

/** When something last happened to a task. */
export interface LastOfTask {
  taskId: string;
  /** Null: it never did, as far as is kept. */
  at: Date | null;
  /** Since when the task is there. */
  createdAt: Date;
  /** Until when it was in the shadow of cron last; null: it never was. */
  shadowUntil: Date | null;
  /** Postgres' time of the look. */
  now: Date;
}

/** When a run of each task succeeded last, as far as is kept. */
export async function lastSuccesses(db: Database, taskIds: readonly string[]): Promise<LastOfTask[]> {
  return await query<LastOfTask & { [column: string]: unknown }>(db.pool, 'last_successes', LAST_SUCCESSES, [
    db.namespace,
    taskIds,
  ]);
}

/** When a run of each task started last, as far as is kept. */
export async function lastStarts(db: Database, taskIds: readonly string[]): Promise<LastOfTask[]> {
  return await query<LastOfTask & { [column: string]: unknown }>(db.pool, 'last_starts', LAST_STARTS, [
    db.namespace,
    taskIds,
  ]);
}

/**
 * Among the 50 that were due last; else the last one of the hours that may not be rolled up yet, which are read one by one; else of the last
 * hour of which the roll-up has one.
 */
const last = (at: string, meant: string, rolledUp: string): string => `
SELECT t.id AS "taskId", t.created_at AS "createdAt", now()::timestamptz(3) AS now, coalesce((
    SELECT max(${at}) FROM (SELECT * FROM any_run WHERE task_id = t.id ORDER BY scheduled_for DESC LIMIT 50) r WHERE ${meant}
  ), (
    SELECT ${at} FROM any_run r WHERE r.task_id = t.id AND r.scheduled_for >= now() - interval '3 hours' AND ${meant} ORDER BY r.scheduled_for DESC LIMIT 1
  ), (
    SELECT max(${at}) FROM (
      SELECT h.hour FROM task_hour h WHERE h.task_id = t.id AND ${rolledUp} > 0 ORDER BY h.hour DESC LIMIT 1
    ) l JOIN any_run r ON r.task_id = t.id AND r.scheduled_for >= l.hour AND r.scheduled_for < l.hour + interval '1 hour' AND ${meant}
  )) AS at, GREATEST(${leftByCronAt('t')}, (SELECT max(v.ended_at) FROM task_version v WHERE v.task_id = t.id AND v.definition ? 'shadow'
    AND NOT t.rules ? 'shadow')) AS "shadowUntil"
FROM unnest($2::uuid[]) AS i(id) JOIN task t ON t.id = i.id WHERE t.namespace = $1`;

const LAST_SUCCESSES = last('r.finished_at', `r.state = 'succeeded'`, 'h.succeeded');
const LAST_STARTS = last('r.started_at', 'r.started_at IS NOT NULL', 'h.started');

/** Tasks whose next occurrences cannot be worked out, and why. */
export async function unplannableTasks(db: Database): Promise<{ task: TaskForAlert; why: string }[]> {
  return await query<{ task: TaskForAlert; why: string; [column: string]: unknown }>(
    db.pool,
    'unplannable_tasks',
    `SELECT ${taskForAlert('t')} AS task, plan.plan_error AS why FROM task_plan plan JOIN task t ON t.id = plan.task_id
     WHERE plan.namespace = $1 AND plan.plan_error IS NOT NULL ORDER BY t.id LIMIT 1000`,
    [db.namespace],
  );
}
