import type { By } from '@escapement/core';
import { IN_SHADOW } from '@escapement/core/plan';
import { type CutoverAnswer, heldBecomes, type Side, UNKNOWN_SIDE } from '@escapement/core/shadow';
import { nameIn, noteAction, reasonIn, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';
import { inTurn } from '../runs/overlap-policies.ts';
import { WAKE_CHANNEL } from '../runs/trigger-run.ts';
import { planAnew, seenPlan } from '../tasks/task-plan.ts';
import type { Cutover } from './cutovers.ts';

/** A task as it was read, and where it goes on from `now` on. */
export interface SeenAt {
  id: string;
  name: string;
  planSeq: number;
  now: Date;
  nextRunAt: Date | null;
}

export interface CutoverAsked {
  line: string;
  host: string;
  to: Side;
  at: Date;
}

// Who has read the task before sees by plan_seq that it has changed, a planner too.
const moved = (from: string, nextRunAt: string) =>
  planAnew({
    seen: 'seen',
    nextRunAt: `CASE WHEN t.schedule->>'kind' = 'fixed-delay' THEN plan.next_run_at ELSE ${nextRunAt}::timestamptz END`,
    from: `${from}::timestamptz`,
    also: 'updated_at = now()',
  });

/** Proposes a cut-over. Null: the task has changed meanwhile, or the line has an open one. */
export async function proposeCutover(db: Database, asked: CutoverAsked, task: SeenAt, by: By): Promise<string | null> {
  const rows = await query<{ id: string }>(db.pool, 'propose_cutover', PROPOSE, [
    db.namespace,
    task.id,
    task.planSeq,
    task.now.toISOString(),
    task.nextRunAt?.toISOString() ?? null,
    asked.line,
    asked.host,
    asked.to,
    asked.at.toISOString(),
    toActing(by),
    task.name,
  ]);
  return rows[0]?.id ?? null;
}

const PROPOSE = `
WITH ${seenPlan(
  `t.id = $2 AND NOT EXISTS (SELECT FROM cron_cutover c WHERE c.namespace = $1 AND c.line = $6 AND c.state = 'proposed')`,
  '$3',
)}, ${moved('$4', '$5')}, put AS (
  INSERT INTO cron_cutover (namespace, line, task_id, host, to_side, at, asked_by, reason)
  SELECT $1, $6, m.id, $7, $8, $9::timestamptz, ${nameIn('$10')}, ${reasonIn('$10')} FROM moved m
  RETURNING id
), noted AS (
  ${noteAction({
    by: '$10',
    action: `'cut over'`,
    subject: `'task:' || $11::text`,
    detail: `jsonb_build_object('line', $6::text, 'host', $7::text, 'to', $8::text, 'at', $9::timestamptz)`,
    from: 'put',
  })}
)
SELECT id, pg_notify('${WAKE_CHANNEL}', $1) AS woken FROM put`;

/** Who says what: the host, at an instant of its clock, or a person in its place. */
export type Word = { answer: CutoverAnswer } & ({ from: 'host'; answeredAt: Date } | { from: 'person' });

/**
 * Writes down whether a host has taken a cut-over, and what follows: the task is planned anew, and what was held runs, or ends as skipped. `task`:
 * null where there is none any more, or nothing changes for it. False: the task or the cut-over has changed meanwhile.
 */
export async function decideCutover(
  db: Database,
  cutover: Cutover,
  { task, word, by }: { task: SeenAt | null; word: Word; by: By },
): Promise<boolean> {
  const rows = await query(
    db.pool,
    `decide_cutover_${word.from}`,
    word.from === 'host' ? DECIDE_BY_HOST : DECIDE_BY_PERSON,
    [
      db.namespace,
      cutover.id,
      cutover.state,
      word.answer,
      word.from === 'host' ? word.answeredAt.toISOString() : null,
      toActing(by),
      task?.id ?? null,
      task?.planSeq ?? null,
      task?.now.toISOString() ?? null,
      task?.nextRunAt?.toISOString() ?? null,
      cutover.at.toISOString(),
      heldBecomes(cutover.to, word.answer),
      `${IN_SHADOW}: ${cutover.host} has ${word.answer} the cut-over to ${cutover.to}`,
      cutover.taskId,
    ],
  );
  return rows.length > 0;
}

const decide = (set: string, action: string) => `
WITH ${seenPlan(
  `t.id = $7::uuid AND EXISTS (SELECT FROM cron_cutover c WHERE c.namespace = $1 AND c.id = $2 AND c.state = $3::text AND c.answer IS NULL)`,
  '$8',
)}, ${moved('$9', '$10')}, decided AS (
  UPDATE cron_cutover c SET state = $4, ${set}
  WHERE c.namespace = $1 AND c.id = $2 AND c.state = $3::text AND c.answer IS NULL AND ($7::uuid IS NULL OR EXISTS (SELECT FROM moved))
  RETURNING c.line, c.host, c.to_side, c.at
), picked AS MATERIALIZED (
  -- What was held for one that a person has settled was let go then; what is held now is for a later one.
  SELECT r.id, r.scheduled_for FROM run r, decided
  WHERE $3::text = 'proposed' AND r.namespace = $1 AND r.task_id = $14::uuid AND r.state = 'held' AND r.scheduled_for >= $11::timestamptz AND r.reason LIKE '${UNKNOWN_SIDE}%'
  ORDER BY r.namespace, r.key, r.id
  FOR UPDATE OF r
), held AS (
  -- It runs late: no repeat brings it, and it is bound by no deadline; what cron has run ends here. It has no slot, and nobody waits for it.
  UPDATE run r SET state = CASE WHEN $12::text = 'run' THEN 'planned' ELSE 'skipped' END, reason = CASE WHEN $12::text = 'run' THEN NULL ELSE $13::text END,
    origin = CASE WHEN $12::text = 'run' THEN 'catch_up' ELSE r.origin END,
    due_at = CASE WHEN $12::text = 'run' THEN GREATEST(r.due_at, now()) ELSE r.due_at END, start_by = NULL, misfire_at = NULL,
    overlap = CASE WHEN $12::text = 'run' THEN ${inTurn('r.overlap')} ELSE r.overlap END,
    dispatch = CASE WHEN $12::text = 'run' THEN r.dispatch ELSE 0 END, finished_at = CASE WHEN $12::text = 'run' THEN NULL ELSE clock_timestamp() END
  FROM picked p WHERE r.id = ANY (ARRAY[p.id]) AND r.scheduled_for = p.scheduled_for
  RETURNING r.id
), noted AS (
  ${noteAction({
    by: '$6',
    action: `'${action}'`,
    subject: `'task:' || coalesce((SELECT t.name FROM task t WHERE t.namespace = $1 AND t.id = $14::uuid), $14::text)`,
    detail: `jsonb_build_object('line', d.line, 'host', d.host, 'to', d.to_side, 'at', d.at, 'answer', $4::text, 'held', (SELECT count(*) FROM held))`,
    from: 'decided d',
  })}
)
SELECT pg_notify('${WAKE_CHANNEL}', $1) AS woken FROM decided`;

const DECIDE_BY_HOST = decide('answer = $4, answered_at = $5::timestamptz', 'answer cut-over');
const DECIDE_BY_PERSON = decide(
  `settled = $4, settled_by = ${nameIn('$6')}, settled_at = coalesce($5::timestamptz, now())`,
  'settle cut-over',
);
