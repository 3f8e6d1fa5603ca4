import { afterAll, expect, it } from 'vitest';
import { TASK_ORDERS, type TaskPageAsked, type TaskPageFilter, type TaskPlace, taskPage } from '../src/index.ts';
import { makeTask, twoProcesses } from './ledger.ts';

const { one: db, close } = await twoProcesses();
afterAll(close);

for (let n = 0; n < 20; n++) await makeTask(db, { name: `task-${n}`, pool: n % 3 === 0 ? 'night' : 'default' });
// Some are due at the same instant, some never; one waits until it is planned again.
await db.pool.query(`UPDATE task_plan SET next_run_at = CASE WHEN n % 5 < 3 THEN date_trunc('minute', now()) + n / 3 * interval '1 minute' END
  FROM (SELECT id, substr(name, 6)::integer AS n FROM task) AS s WHERE s.id = task_id`);
await db.pool.query(
  `UPDATE task_plan SET plan_after = now() + interval '1 hour', plan_error = 'no such zone' WHERE task_id IN (SELECT id FROM task WHERE name = 'task-0')`,
);
await db.pool.query(`INSERT INTO task_pause (task_id, from_at, until_at, created_by)
  SELECT id, now() - interval '2 hours', CASE name WHEN 'task-7' THEN now() - interval '1 hour' END, 'ann' FROM task WHERE name IN ('task-1', 'task-7')`);

async function pages(filter: TaskPageFilter, asked: Pick<TaskPageAsked, 'order' | 'descending'>): Promise<string[]> {
  const found: TaskPlace[] = [];
  for (let after: TaskPlace | null = null; ; after = found.at(-1) ?? null) {
    const page = await taskPage(db, filter, { ...asked, after, limit: 3 });
    found.push(...page);
    if (page.length < 3) return found.map(({ id }) => id);
  }
}

async function plain(where: string, order: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT id FROM task JOIN task_plan ON task_id = id WHERE ${where} ORDER BY ${order}`,
  );
  return rows.map(({ id }) => id);
}

it('by the next occurrence, page after page: each task once, those that are never due at the end', async () => {
  const next = (way: string) => `coalesce(plan_at, 'infinity') ${way}, id ${way}`;
  expect(await pages({}, { order: 'next', descending: false })).toEqual(await plain('true', next('ASC')));
  expect(await pages({}, { order: 'next', descending: true })).toEqual(await plain('true', next('DESC')));
  expect(await pages({ pool: 'night' }, { order: 'next', descending: false })).toEqual(
    await plain(`pool = 'night'`, next('ASC')),
  );
});

it.each(TASK_ORDERS)('by %s, whatever the state: no task is missing, and none is there twice', async (order) => {
  const all = await pages({}, { order, descending: false });
  expect(all.toSorted()).toEqual(await plain('true', 'id'));
  const active = await pages({ states: ['active'] }, { order, descending: false });
  const rare = await pages({ states: ['paused', 'unplannable'] }, { order, descending: false });
  expect(rare.toSorted()).toEqual(await plain(`name IN ('task-0', 'task-1')`, 'id'));
  const others = await pages({ states: ['paused', 'unplannable', 'never_fires'] }, { order, descending: false });
  expect(others.toSorted()).toEqual(await plain(`name IN ('task-0', 'task-1') OR next_run_at IS NULL`, 'id'));
  expect(all.filter((id) => !others.includes(id))).toEqual(active);
});
