import { afterAll, beforeEach, expect, it } from 'vitest';
import { dueTasks, notePlanError } from '../src/index.ts';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const ALL = { horizonMs: 10 * MINUTE, limit: 100 };

beforeEach(async () => {
  await one.pool.query('DELETE FROM fleet_freeze');
  await one.pool.query('UPDATE task_plan SET next_run_at = NULL, plan_after = NULL');
});

/** A task whose next occurrence is so long ago; ahead, where it is less than nothing. */
async function dueFor(name: string, ms: number): Promise<string> {
  const id = await makeTask(one, { name });
  await setPlan(id, 'next_run_at = $2', ago(ms));
  return id;
}

const setPlan = (id: string, columns: string, ...values: unknown[]) =>
  one.pool.query(`UPDATE task_plan SET ${columns} WHERE task_id = $1`, [id, ...values]);

const pause = (id: string, from: string, until: string | null) =>
  one.pool.query(
    `INSERT INTO task_pause (task_id, from_at, until_at, created_by) VALUES ($1, now() + $2::interval, now() + $3::interval, 'ann')`,
    [id, from, until],
  );

const freeze = (namespace: string, from: string, until: string | null) =>
  one.pool.query(
    `INSERT INTO fleet_freeze (namespace, from_at, until_at, note, created_by)
     VALUES ($1, now() + $2::interval, now() + $3::interval, 'stop', 'ann')`,
    [namespace, from, until],
  );

const dueNames = async (options: Partial<Parameters<typeof dueTasks>[1]> = {}, db = one) =>
  (await dueTasks(db, { ...ALL, ...options })).tasks.map(({ name }) => name);

it('names tasks of the namespace that are to be planned, the longest due first, as many as are asked for', async () => {
  await dueFor('second', 7 * MINUTE);
  await dueFor('third', -MINUTE);
  await dueFor('first', 9 * MINUTE);
  expect(await dueNames()).toEqual(['first', 'second', 'third']);
  expect(await dueNames({ limit: 2 })).toEqual(['first', 'second']);
  expect(await dueNames({}, other)).toEqual([]);
});

it('names those within the horizon', async () => {
  await dueFor('ahead', -5 * MINUTE);
  expect(await dueNames({ horizonMs: 6 * MINUTE })).toEqual(['ahead']);
  expect(await dueNames({ horizonMs: 3 * MINUTE })).toEqual([]);
});

it('names those after an instant, without that instant', async () => {
  const id = await makeTask(one, { name: 'after' });
  const at = ago(5 * MINUTE);
  await setPlan(id, 'next_run_at = $2', at);
  expect(await dueNames({ after: new Date(at.getTime() - 1) })).toEqual(['after']);
  expect(await dueNames({ after: at })).toEqual([]);
});

it('begins with the very instant before which no task is open', async () => {
  const id = await makeTask(one, { name: 'open-from' });
  const at = ago(5 * MINUTE);
  await setPlan(id, 'next_run_at = $2', at);
  const from = (ms: number) => ({ ...one, openFrom: { ...one.openFrom, tasks: new Date(ms).toISOString() } });
  expect(await dueNames({}, from(at.getTime()))).toEqual(['open-from']);
  expect(await dueNames({}, from(at.getTime() + 1))).toEqual([]);
});

it('leaves out a task that is deleted', async () => {
  const id = await dueFor('deleted', MINUTE);
  expect(await dueNames()).toEqual(['deleted']);
  await one.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [id]);
  expect(await dueNames()).toEqual([]);
});

it('leaves out a task without a next occurrence, though it was to be tried again', async () => {
  const id = await dueFor('over', MINUTE);
  await setPlan(id, `next_run_at = NULL, plan_after = now() - interval '1 min'`);
  expect(await dueNames()).toEqual([]);
});

it('leaves a task alone until it is to be tried again', async () => {
  const id = await dueFor('tried-again', MINUTE);
  await setPlan(id, `plan_after = now() + interval '5 min'`);
  expect(await dueNames()).toEqual([]);
  await setPlan(id, `plan_after = now() - interval '5 min'`);
  expect(await dueNames()).toEqual(['tried-again']);
});

it.each([
  ['in a pause', '-1 h', '1 h', []],
  ['in a pause without an end', '-1 h', null, []],
  ['after a pause', '-1 h', '1 min', ['it']],
  ['before a pause', '30 min', '1 h', ['it']],
])(
  'leaves out a task whose next occurrence lies ahead in a pause or freeze: it is %s',
  async (why, from, until, named) => {
    const name = why.replaceAll(' ', '-');
    const id = await dueFor(name, -8 * MINUTE);
    await freeze(one.namespace, from, until);
    expect(await dueNames()).toHaveLength(named.length);
    await one.pool.query('DELETE FROM fleet_freeze');
    await pause(id, from, until);
    expect(await dueNames()).toHaveLength(named.length);
  },
);

it('is not held up by pauses of other tasks, nor by freezes of other namespaces', async () => {
  const paused = await dueFor('paused', -MINUTE);
  await dueFor('free', -MINUTE);
  await pause(paused, '-1 h', '1 h');
  await freeze('other', '-1 h', '1 h');
  expect(await dueNames()).toEqual(['free']);
});

it('names a task that is due already, though it is paused and the fleet is frozen', async () => {
  await pause(await dueFor('due', MINUTE), '-1 h', '1 h');
  await freeze(one.namespace, '-1 h', '1 h');
  expect(await dueNames()).toEqual(['due']);
});

it('leaves out a task whose next occurrence cron runs, until it is due', async () => {
  const id = await dueFor('of-cron', -MINUTE);
  await one.pool.query(`UPDATE task SET rules = rules || '{"shadow": {"line": "0123456789ab"}}' WHERE id = $1`, [id]);
  expect(await dueNames()).toEqual([]);
  await setPlan(id, 'next_run_at = $2', ago(MINUTE));
  expect(await dueNames()).toEqual(['of-cron']);
});

/** What is known of a task that could not be planned. */
async function errorOf(id: string) {
  const { rows } = await one.pool.query<{ plan_error: string | null; plan_failures: number; plan_after: Date | null }>(
    'SELECT plan_error, plan_failures, plan_after FROM task_plan WHERE task_id = $1',
    [id],
  );
  if (!rows[0]) throw new Error('no fixture');
  return rows[0];
}

const clock = async () => {
  const { rows } = await one.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return rows[0]?.now.getTime() ?? 0;
};

it.each([
  [0, 1],
  [3, 8],
  [8, 256],
  [9, 300],
  [50, 300],
])('a task that could not be planned %i times before is left alone for %i s', async (failures, seconds) => {
  const id = await dueFor(`failed-${failures}`, MINUTE);
  await setPlan(id, 'plan_failures = $2, plan_seq = 7', failures);
  const before = await clock();
  await notePlanError(one, { id, planSeq: 7 }, 'no such zone');
  const after = await clock();
  const { plan_error, plan_failures, plan_after } = await errorOf(id);
  expect({ plan_error, plan_failures }).toEqual({ plan_error: 'no such zone', plan_failures: failures + 1 });
  expect(plan_after?.getTime()).toBeGreaterThanOrEqual(before + seconds * 1000);
  expect(plan_after?.getTime()).toBeLessThanOrEqual(after + 1 + seconds * 1000);
});

it('an error is noted of the task alone, as it was read, in its namespace', async () => {
  const [id, beside] = [await dueFor('noted', MINUTE), await dueFor('noted-beside', MINUTE)];
  await setPlan(id, 'plan_seq = 7');
  await setPlan(beside, 'plan_seq = 7');
  await notePlanError(one, { id, planSeq: 6 }, 'too late');
  await notePlanError(other, { id, planSeq: 7 }, 'elsewhere');
  expect(await errorOf(id)).toEqual({ plan_error: null, plan_failures: 0, plan_after: null });
  await notePlanError(one, { id, planSeq: 7 }, 'no such zone');
  expect(await errorOf(id)).toMatchObject({ plan_error: 'no such zone' });
  expect(await errorOf(beside)).toEqual({ plan_error: null, plan_failures: 0, plan_after: null });
});
