import { randomUUID } from 'node:crypto';
import { taskDefinition } from '@escapement/core';
import { by } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { replanTask, saveTask } from '../src/index.ts';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const FROM = ago(-10 * MINUTE);
const NEXT = ago(-20 * MINUTE);

/** A task whose schedule ends after so many runs, of which 9 are planned. */
async function make(name: string, schedule = `schedule || '{"maxRuns": 20}'`): Promise<string> {
  const id = await makeTask(one, { name });
  await one.pool.query(`UPDATE task SET schedule = ${schedule} WHERE id = $1`, [id]);
  await one.pool.query('UPDATE task_plan SET planned_runs = 9 WHERE task_id = $1', [id]);
  return id;
}

interface Row {
  at: Date;
  state?: string;
  origin?: string;
  attempt?: number;
}

const addRun = (taskId: string, { at, state = 'planned', origin = 'schedule', attempt = 0 }: Row) =>
  one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, attempt, key, key_limit, overlap,
       pool, due_at, finished_at)
     SELECT $2, $3::timestamptz, t.namespace, t.id, t.version, t.plan_epoch, $4, $5::text, 'as it was', $6, t.name, 1, t.overlap, t.pool,
       $3::timestamptz, CASE WHEN $5 = 'skipped' THEN now() END
     FROM task t WHERE t.id = $1`,
    [taskId, randomUUID(), at.toISOString(), origin, state, attempt],
  );

async function rowOf(id: string) {
  const { rows } = await one.pool.query(
    `SELECT t.plan_epoch, t.effective_at, p.plan_seq, p.next_run_at, p.planned_runs, p.plan_after, p.plan_error, p.plan_failures
     FROM task t JOIN task_plan p ON p.task_id = t.id WHERE t.id = $1`,
    [id],
  );
  return rows[0];
}

async function edit(name: string): Promise<void> {
  const definition = taskDefinition.parse({ name, handler: { type: 'shell', command: 'true' } });
  const saved = await saveTask(one, {
    definition,
    schedule: definition.schedule,
    keyTemplate: name,
    source: 'test',
    by: by('test'),
    redacted: { before: null, after: null },
    expectedPlanSeq: 0,
    effectiveAt: FROM,
    nextRunAt: NEXT,
  });
  if (!saved) throw new Error('not saved');
}

const replan = (id: string, { db = one, planSeq = 0, from = FROM, nextRunAt = NEXT as Date | null } = {}) =>
  replanTask(db, { id, planSeq }, { nextRunAt, from });

it.each<[string, Row, number]>([
  ['at that instant', { at: FROM }, 8],
  ['later', { at: NEXT }, 8],
  ['before', { at: new Date(FROM.getTime() - 1) }, 9],
  ['that is queued', { at: NEXT, state: 'queued' }, 8],
  ['that is caught up', { at: NEXT, origin: 'catch_up' }, 8],
  ['that was skipped', { at: NEXT, state: 'skipped' }, 9],
  ['that has begun', { at: NEXT, state: 'queued', attempt: 1 }, 9],
  ['that somebody has asked for', { at: NEXT, origin: 'trigger' }, 9],
])('what is planned anew from an instant on is not counted as planned: a run %s', async (why, run, planned) => {
  const name = why.replaceAll(' ', '-');
  const [edited, replanned] = [await make(`edited-${name}`), await make(`replanned-${name}`)];
  for (const id of [edited, replanned]) await addRun(id, run);
  await addRun(await make(`beside-${name}`), { at: NEXT });
  await edit(`edited-${name}`);
  expect(await rowOf(edited)).toMatchObject({ planned_runs: planned, next_run_at: NEXT });
  expect(await replan(replanned)).toBe(true);
  expect(await rowOf(replanned)).toMatchObject({ planned_runs: planned, next_run_at: NEXT });
});

it('runs are counted only where the schedule ends after so many', async () => {
  const [edited, replanned] = [await make('edited', 'schedule'), await make('replanned', 'schedule')];
  await edit('edited');
  await replan(replanned);
  expect([await rowOf(edited), await rowOf(replanned)]).toMatchObject([{ planned_runs: 0 }, { planned_runs: 0 }]);
});

it('a task is planned anew, and no other', async () => {
  const [id, beside] = [await make('anew'), await make('anew-beside')];
  const before = await rowOf(beside);
  await one.pool.query(
    `UPDATE task_plan SET plan_after = now() + interval '1 h', plan_error = 'no such zone', plan_failures = 3 WHERE task_id = $1`,
    [id],
  );
  expect(await replan(id)).toBe(true);
  expect(await rowOf(id)).toEqual({
    ...{ plan_epoch: 2, effective_at: FROM, plan_seq: 1, next_run_at: NEXT, planned_runs: 9 },
    ...{ plan_after: null, plan_error: null, plan_failures: 0 },
  });
  expect(await rowOf(beside)).toEqual(before);
});

it('a task that is to be otherwise from a later instant on stays so', async () => {
  const id = await make('later');
  await one.pool.query('UPDATE task SET effective_at = $2 WHERE id = $1', [id, NEXT]);
  await replan(id);
  expect(await rowOf(id)).toMatchObject({ effective_at: NEXT, plan_epoch: 2 });
});

it.each([
  ['has ended', 'schedule', 'NULL'],
  ['counts from the end of a run', `'{"kind": "fixed-delay", "delayMs": 1000, "maxRuns": 20}'`, 'next_run_at'],
])('a schedule that %s is not planned anew', async (why, schedule, next) => {
  const id = await make(why.replaceAll(' ', '-'), schedule === 'schedule' ? undefined : schedule);
  await one.pool.query(`UPDATE task_plan SET next_run_at = ${next} WHERE task_id = $1`, [id]);
  const { effective_at, next_run_at } = await rowOf(id);
  await addRun(id, { at: NEXT });
  expect(await replan(id, { nextRunAt: next_run_at })).toBe(true);
  expect(await rowOf(id)).toMatchObject({ effective_at, next_run_at, plan_epoch: 1, planned_runs: 9, plan_seq: 1 });
});

it('a task that has changed since it was read, is deleted or of another namespace is not planned anew', async () => {
  const id = await make('refused');
  const before = await rowOf(id);
  expect(await replan(id, { planSeq: 1 })).toBe(false);
  expect(await replan(id, { db: other })).toBe(false);
  expect(await replan(randomUUID())).toBe(false);
  await one.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [id]);
  expect(await replan(id)).toBe(false);
  expect(await rowOf(id)).toEqual(before);
});
