import type { TaskInput } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { priorityPools, repeatableTasks, runPriorities } from '../src/index.ts';
import { ago, MINUTE, makeTask, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const SECOND = 1000;
const ALL = { maxEveryMs: MINUTE, withinMs: 10 * MINUTE, after: undefined, limit: 100 };

beforeEach(async () => {
  for (const table of ['fleet_freeze', 'pool']) await one.pool.query(`DELETE FROM ${table}`);
  await one.pool.query('UPDATE task SET deleted_at = now()');
});

async function every(name: string, everyMs: number, more: Partial<TaskInput> = {}, db = one): Promise<string> {
  return await makeTask(db, { name, schedule: { kind: 'every', everyMs }, ...more });
}

const setTask = (id: string, columns: string) => one.pool.query(`UPDATE task SET ${columns} WHERE id = $1`, [id]);

const repeatable = async (options: Partial<Parameters<typeof repeatableTasks>[1]> = {}, db = one) =>
  (await repeatableTasks(db, { ...ALL, ...options })).map(({ name }) => name);

it('tasks with a short interval are told, by interval, as many as are asked for', async () => {
  const id = await every('second', 2 * SECOND);
  await every('third', MINUTE);
  await every('first', SECOND);
  await every('too-long', MINUTE + 1);
  await makeTask(one, { name: 'cron', schedule: { kind: 'cron', expression: '* * * * *', timeZone: 'UTC' } });
  // As an interval it would be short enough.
  await setTask(
    await makeTask(one, { name: 'delay', schedule: { kind: 'fixed-delay', delayMs: 1000 } }),
    `schedule = schedule || '{"everyMs": 1000}'`,
  );
  expect(await repeatable()).toEqual(['first', 'second', 'third']);
  expect(await repeatable({ limit: 2 })).toEqual(['first', 'second']);
  expect(await repeatable({}, other)).toEqual([]);
  expect((await repeatableTasks(one, ALL))[1]).toEqual({
    id,
    name: 'second',
    queue: 'default+shell',
    schedule: { kind: 'every', everyMs: 2 * SECOND },
    everyMs: 2 * SECOND,
    priority: null,
  });
});

it('a page goes on after the interval and id of the last task', async () => {
  const ids = [await every('a', SECOND), await every('b', SECOND), await every('c', 2 * SECOND)];
  const [first = '', second = ''] = ids.slice(0, 2).toSorted();
  const page = async (after: { id: string; everyMs: number } | undefined) =>
    (await repeatableTasks(one, { ...ALL, after })).map(({ id }) => id);
  expect(await page(undefined)).toEqual([first, second, ids[2]]);
  expect(await page({ id: first, everyMs: SECOND })).toEqual([second, ids[2]]);
  expect(await page({ id: second, everyMs: SECOND })).toEqual([ids[2]]);
});

it('a task that runs on every worker, in the shadow of cron, deleted, over, or due much later is not told', async () => {
  const at = (id: string, next: Date | null) =>
    one.pool.query('UPDATE task_plan SET next_run_at = $2 WHERE task_id = $1', [id, next]);
  await setTask(await every('spread', SECOND), `rules = rules || '{"runOn": "workers"}'`);
  await setTask(await every('shadow', SECOND), `rules = rules || '{"shadow": {"line": "0123456789ab"}}'`);
  await setTask(await every('deleted', SECOND), 'deleted_at = now()');
  await at(await every('over', SECOND), null);
  await at(await every('later', SECOND), ago(-20 * MINUTE));
  await at(await every('soon', SECOND), ago(-5 * MINUTE));
  expect(await repeatable()).toEqual(['soon']);
  expect(await repeatable({ withinMs: 30 * MINUTE })).toHaveLength(2);
});

it.each([
  ['is paused', '-1 h', '1 h', []],
  ['is paused without an end', '-1 h', null, []],
  ['was paused', '-2 h', '-1 h', ['it']],
  ['will be paused', '1 h', '2 h', ['it']],
])('a task that %s, or frozen so', async (why, from, until, told) => {
  const id = await every(why.replaceAll(' ', '-'), SECOND);
  const freeze = `INSERT INTO fleet_freeze (namespace, from_at, until_at, note, created_by) VALUES ($1, now() + $2::interval, now() + $3::interval, 'stop', 'ann')`;
  await one.pool.query(freeze, [one.namespace, from, until]);
  expect(await repeatable()).toHaveLength(told.length);
  await one.pool.query('DELETE FROM fleet_freeze');
  await one.pool.query(freeze, ['other', from, until]);
  const beside = await every(`beside-${why.replaceAll(' ', '-')}`, SECOND);
  expect(await repeatable()).toHaveLength(2);
  await one.pool.query(
    `INSERT INTO task_pause (task_id, from_at, until_at, created_by) VALUES ($1, now() + $2::interval, now() + $3::interval, 'ann')`,
    [id, from, until],
  );
  expect(await repeatable()).toHaveLength(1 + told.length);
  await setTask(beside, 'deleted_at = now()');
});

const setPool = (name: string, priorities: boolean, namespace = one.namespace) =>
  one.pool.query('INSERT INTO pool (namespace, name, priorities) VALUES ($1, $2, $3)', [namespace, name, priorities]);

it('priorities count in pools in which a task says how urgent it is, and where nobody has switched that off', async () => {
  await every('urgent', SECOND, { pool: 'a', priority: 3 });
  await every('urgent-too', SECOND, { pool: 'a', priority: 4 });
  await every('urgent-b', SECOND, { pool: 'b', priority: 3 });
  await every('says-nothing', SECOND, { pool: 'c' });
  await setTask(await every('urgent-once', SECOND, { pool: 'd', priority: 3 }), 'deleted_at = now()');
  await every('elsewhere', SECOND, { pool: 'e', priority: 3 }, other);
  await setPool('a', true);
  await setPool('a', false, 'other');
  await setPool('c', false);
  expect(await priorityPools(one)).toEqual(new Set(['a', 'b']));
  expect(await priorityPools(other)).toEqual(new Set(['e']));
  await setPool('b', false);
  expect(await priorityPools(one)).toEqual(new Set(['a']));
});

it('a task that may be repeated has a priority where they count, 0 if it says nothing', async () => {
  await every('told', SECOND, { pool: 'a', priority: 3 });
  await every('silent', SECOND, { pool: 'a' });
  await every('alone', SECOND);
  const priorities = new Map((await repeatableTasks(one, ALL)).map(({ name, priority }) => [name, priority]));
  expect(priorities).toEqual(
    new Map([
      ['told', 3],
      ['silent', 0],
      ['alone', null],
    ]),
  );
});

it('how urgent runs are is told by id, in the namespace', async () => {
  const [urgent, silent] = [await every('run-urgent', SECOND, { priority: 3 }), await every('run-silent', SECOND)];
  const runs = await queueRuns(
    one,
    [urgent, silent].map((taskId) => ({ taskId, key: 'k', ageMs: MINUTE })),
  );
  const [first, second] = runs;
  if (!first || !second) throw new Error('no fixture');
  expect(await runPriorities(one, runs)).toEqual(
    new Map([
      [first.runId, 3],
      [second.runId, 0],
    ]),
  );
  expect(await runPriorities(one, [{ ...first, scheduledFor: ago(0) }])).toEqual(new Map());
  expect(await runPriorities(other, runs)).toEqual(new Map());
});
