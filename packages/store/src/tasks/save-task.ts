import type { By, TaskDefinition } from '@escapement/core';
import { planningRules } from '@escapement/core/plan';
import type { ScheduleSpec } from '@escapement/core/schedule';
import { noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { WAKE_CHANNEL } from '../runs/trigger-run.ts';
import { MOVED, seenPlan, UNCOUNTED } from './task-plan.ts';

export interface TaskSave {
  definition: TaskDefinition;
  schedule: ScheduleSpec;
  /** The definition's key, or the task's name. */
  keyTemplate: string;
  source: string;
  by: By;
  /** The definitions before (null: there was none) and after, as the audit may show them. */
  redacted: { before: unknown; after: unknown };
  /** The plan_seq the caller read; null: the task is new (or deleted before). */
  expectedPlanSeq: number | null;
  effectiveAt: Date;
  nextRunAt: Date | null;
  /** By a person who has edited the task, not by what it comes from. Default: false. */
  edited?: boolean | undefined;
  /** Of a new task: it is paused from the first moment on, with this note. Default: it is not paused. */
  pausedNote?: string | undefined;
  /** The name that the task has had until now, if the definition gives it another one. Default: the same. */
  renamedFrom?: string | undefined;
}

export interface SavedTask {
  id: string;
  version: number;
}

/**
 * Saves a task as its next version. Rows already planned under the old one are adopted by the planner where the new
 * schedule has the same instant, and end as superseded at begin where it has not. Null: somebody else changed it meanwhile; read it again.
 */
export async function saveTask(db: Database, save: TaskSave): Promise<SavedTask | null> {
  const { expectedPlanSeq, renamedFrom } = save;
  const kind = expectedPlanSeq === null ? 'insert' : renamedFrom === undefined ? 'update' : 'rename';
  const rows = await query<SavedTask>(db.pool, `${kind}_task`, SAVE(kind), [
    db.namespace,
    save.definition.name,
    JSON.stringify(save.definition),
    JSON.stringify(save.schedule),
    save.keyTemplate,
    save.definition.limit,
    save.definition.overlap.policy,
    save.definition.pool,
    save.source,
    save.effectiveAt.toISOString(),
    save.nextRunAt?.toISOString() ?? null,
    toActing(save.by),
    toJson(save.redacted.before),
    JSON.stringify(planningRules.parse(save.definition)),
    toJson(save.redacted.after),
    save.edited ?? false,
    kind === 'insert' ? (save.pausedNote ?? null) : expectedPlanSeq,
    ...(kind === 'rename' ? [renamedFrom] : []),
  ]);
  return rows[0] ? { id: rows[0].id, version: rows[0].version } : null;
}

function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

const INSERT = `saved AS (
INSERT INTO task AS t (namespace, name, definition, schedule, key_template, key_limit, overlap, pool, source,
  effective_at, rules, need)
VALUES ($1, $2, $3::jsonb, $4::jsonb, $5, $6, $7, $8, $9, $10, $14::jsonb, need_of($1, $3::jsonb->'handler', NULL))
ON CONFLICT (namespace, name) DO UPDATE SET definition = excluded.definition, schedule = excluded.schedule,
  key_template = excluded.key_template, key_limit = excluded.key_limit, overlap = excluded.overlap,
  pool = excluded.pool, need = excluded.need, source = excluded.source, effective_at = excluded.effective_at,
  rules = excluded.rules, version = t.version + 1, plan_epoch = t.plan_epoch + 1, updated_at = now(), deleted_at = NULL,
  since_epoch = t.plan_epoch + 1
WHERE t.deleted_at IS NOT NULL
RETURNING t.id, t.version, t.definition, t.source, t.effective_at
), planned AS (
  INSERT INTO task_plan AS plan (task_id, namespace, next_run_at) SELECT s.id, $1, $11::timestamptz FROM saved s
  ON CONFLICT (task_id) DO UPDATE SET next_run_at = excluded.next_run_at, planned_runs = 0, ${MOVED}
)`;

/** Old names are kept, the latest first, for who still uses them; each leads to one task. */
const RENAMED = `name = $2, former_names = (ARRAY[$18] || array_remove(array_remove(t.former_names, $18), $2))[:20], `;

/** Neither a task, also a deleted one, nor a change that is to come may have the new name; the latter not the old one either. */
const MAY_BE_RENAMED = `AND NOT EXISTS (SELECT FROM task n WHERE n.namespace = $1 AND n.name = $2)
  AND NOT EXISTS (SELECT FROM task_change c WHERE c.namespace = $1 AND c.name IN ($2, $18))`;

const UPDATE = (renames: boolean) => `${seenPlan(`t.name = ${renames ? '$18' : '$2'}`, '$17')}, planned AS (
  UPDATE task_plan plan SET next_run_at = $11, planned_runs = ${UNCOUNTED('$10')}, ${MOVED}
  FROM seen JOIN task t ON t.id = seen.task_id WHERE plan.task_id = seen.task_id ${renames ? MAY_BE_RENAMED : ''}
), saved AS (
UPDATE task t SET ${renames ? RENAMED : ''}definition = $3::jsonb, schedule = $4::jsonb, key_template = $5, key_limit = $6, overlap = $7,
  pool = $8, need = need_of($1, $3::jsonb->'handler', t.deployment_id), source = $9, effective_at = $10, rules = $14::jsonb,
  version = t.version + 1, plan_epoch = t.plan_epoch + 1, updated_at = now()
FROM seen WHERE t.id = seen.task_id ${renames ? MAY_BE_RENAMED : ''}
RETURNING t.id, t.version, t.definition, t.source, t.effective_at
)`;

/** Ends what was in force, or was to be from a later instant on. `last`: the last version that is over. */
const endVersions = (
  from: string,
  last: string,
  at: string,
) => `UPDATE task_version v SET ended_at = GREATEST(${at}, v.effective_at)
  -- Equivalent mutant (predicate removed, v.version): a task has no later version than its own that the statement can see.
  -- Equivalent mutant (border, >): a version that ends at that instant gets the same end.
  FROM ${from} WHERE v.task_id = s.id AND v.version <= ${last} AND (v.ended_at IS NULL OR v.ended_at > ${at})`;

const PAUSED_AT_FIRST = `paused AS (
  INSERT INTO task_pause (id, task_id, from_at, note, created_by)
  SELECT gen_random_uuid(), s.id, s.effective_at, $17::text, who.name FROM saved s, acting($12::jsonb) who WHERE $17::text IS NOT NULL
  RETURNING until_at
), noted_pause AS (
  ${noteAction({
    by: '$12',
    action: "'pause'",
    subject: "'task:' || $2::text",
    detail: "jsonb_build_object('until', until_at)",
    from: 'paused',
  })}
),`;

/** A former name that is given up by another task is the renamed one's. */
const TAKEN_FROM_OTHERS = `others AS (
  UPDATE task o SET former_names = array_remove(o.former_names, $18) FROM saved s
  -- Equivalent mutant (predicate removed, o.former_names <>): a list that has a name is not empty: this names it for the partial index.
  -- Equivalent mutant (predicate removed, o.id): the former names of a task never have its present one.
  WHERE o.namespace = $1 AND o.former_names @> ARRAY[$18] AND o.former_names <> '{}' AND o.id <> s.id
),`;

const SAVE = (kind: 'insert' | 'update' | 'rename') => `
WITH ${kind === 'insert' ? INSERT : UPDATE(kind === 'rename')},
${kind === 'rename' ? TAKEN_FROM_OTHERS : ''}${kind === 'insert' ? PAUSED_AT_FIRST : ''}
ended AS (
  ${endVersions('saved s', 's.version - 1', 's.effective_at')}
), versioned AS (
  INSERT INTO task_version (task_id, version, definition, source, created_by, saver_kind, saver_id, edited, note, effective_at)
  SELECT s.id, s.version, s.definition, s.source, who.name, who.kind, who.id, $16, who.reason, s.effective_at
  FROM saved s, acting($12::jsonb) who
), noted AS (
  ${noteAction({
    by: '$12',
    action: kind === 'rename' ? "'rename'" : "'save'",
    subject: "'task:' || $2::text",
    detail: `jsonb_build_object('version', s.version, 'source', s.source${kind === 'rename' ? ", 'from', $18::text" : ''})`,
    before: '$13::jsonb',
    after: '$15::jsonb',
    from: 'saved s',
  })}
)
SELECT id, version, pg_notify('${WAKE_CHANNEL}', $1) AS woken FROM saved`;

/** A task as it was read and planned: nothing is due before `at` that has no row. */
export interface SeenTask {
  planSeq: number;
  at: Date;
}

/**
 * Deletes a task, with the change that it has waiting, its backfills and what its runs have decided of the next one. Its rows stay. From
 * here on no run of it begins, whoever saves the name again: their ends are written by `endRunsOfDeleted`. False: there is no such task,
 * or it is no longer as it was seen.
 */
export async function deleteTask(db: Database, name: string, by: By, seen: SeenTask): Promise<boolean> {
  const rows = await query(
    db.pool,
    'delete_task',
    `WITH ${seenPlan('t.name = $2', '$4')}, planned AS (
       UPDATE task_plan plan SET next_run_at = NULL, ${MOVED} FROM seen WHERE plan.task_id = seen.task_id
     ), deleted AS (
       UPDATE task t SET deleted_at = now(), plan_epoch = t.plan_epoch + 1, since_epoch = t.plan_epoch + 1, ends_runs = true,
         effective_at = $5, updated_at = now()
       FROM seen WHERE t.id = seen.task_id
       RETURNING t.id, t.version, t.effective_at
     ), stopped AS (
       UPDATE backfill b SET state = 'stopped', error = 'the task was deleted', ended_at = now(), seq = b.seq + 1
       FROM deleted d WHERE b.task_id = d.id AND b.state = 'running'
     ), unfilled AS (
       UPDATE batch b SET state = 'stopping', reason = 'its task was deleted' FROM deleted d WHERE b.task_id = d.id AND b.state = 'running'
     ), undecided AS (
       DELETE FROM followers_outbox f USING deleted d WHERE f.task_id = d.id AND f.event = 'next'
     ), rested AS (
       UPDATE task_pause p SET until_at = GREATEST(date_trunc('milliseconds', now()), p.from_at) FROM deleted d
       WHERE p.task_id = d.id AND p.run_id IS NOT NULL AND (p.until_at IS NULL OR p.until_at > now())
     ), ended AS (
       ${endVersions('deleted s', 's.version', 's.effective_at')}
     ), dropped AS (
       DELETE FROM task_change c USING deleted d WHERE c.namespace = $1 AND c.name = $2
     ), noted AS (
       ${noteAction({ by: '$3', action: "'delete'", subject: "'task:' || $2::text", from: 'deleted' })}
     )
     SELECT FROM deleted`,
    [db.namespace, name, toActing(by), seen.planSeq, seen.at.toISOString()],
  );
  return rows.length > 0;
}
