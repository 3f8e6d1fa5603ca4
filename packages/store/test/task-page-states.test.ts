import { randomUUID } from 'node:crypto';
import { newRunId, type StateOfTask } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import type { ScheduleSpec } from '@escapement/core/schedule';
import { afterAll, expect, it } from 'vitest';
import { listTasksById, TASK_ORDERS, type TaskOrder, type TaskPageFilter, taskPage } from '../src/index.ts';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';

const { one: db, close } = await twoProcesses();
afterAll(close);

type Pause = readonly [from: string, until: string | null, byRun?: 'by a run'];

interface TaskOfTest {
  state: StateOfTask;
  pauses?: Pause[];
  error?: string;
  /** It has no next occurrence. Default: `every 1m`. */
  over?: ScheduleSpec;
  /** A run of its schedule is in the ledger. */
  hasRun?: true;
}

const cron = (expression: string, more: object = {}): ScheduleSpec => ({
  ...{ kind: 'cron', expression, timeZone: 'UTC' },
  ...more,
});
const rule = (text: string): ScheduleSpec => ({
  ...{ kind: 'rrule', rule: text, dtStart: '2026-01-01T00:00:00', timeZone: 'UTC' },
});
const endAt = ago(MINUTE).toISOString();

/** What each task has, and which state that makes. */
const TASKS: Record<string, TaskOfTest> = {
  nothing: { state: 'active' },
  'is-paused': { state: 'paused', pauses: [['-1 h', '1 h']] },
  'is-paused-for-ever': { state: 'paused', pauses: [['-1 h', null]] },
  'will-be-paused': { state: 'active', pauses: [['1 h', '2 h']] },
  'will-be-paused-for-ever': { state: 'active', pauses: [['1 h', null]] },
  'was-paused': { state: 'active', pauses: [['-2 h', '-1 h']] },
  rests: { state: 'finished', pauses: [['-1 h', null, 'by a run']] },
  'has-decided': { state: 'active', pauses: [['-1 h', '1 h', 'by a run']] },
  'had-decided': { state: 'active', pauses: [['-2 h', '-1 h', 'by a run']] },
  fails: { state: 'unplannable', error: 'no such zone' },
  'paused-and-fails': { state: 'paused', pauses: [['-1 h', null]], error: 'no such zone' },
  'paused-and-rests': {
    state: 'paused',
    pauses: [
      ['-1 h', null, 'by a run'],
      ['-1 h', '1 h'],
    ],
  },
  'by-hand': { state: 'active', over: { kind: 'manual' } },
  'was-once': { state: 'active', over: { kind: 'once', at: endAt } },
  'after-each-run': { state: 'active', over: { kind: 'fixed-delay', delayMs: MINUTE } },
  'no-such-day': { state: 'never_fires', over: cron('0 0 30 2 *') },
  'no-day-is-left': { state: 'never_fires', over: cron('0 0 * * *'), hasRun: true },
  'no-such-day-at-rest': { state: 'paused', over: cron('0 0 30 2 *'), pauses: [['-1 h', null]] },
  'has-ended': { state: 'active', over: cron('0 0 * * *', { endAt }), hasRun: true },
  'ended-before-it-began': { state: 'never_fires', over: cron('0 0 * * *', { endAt }) },
  'had-its-runs': { state: 'active', over: { kind: 'every', everyMs: MINUTE, maxRuns: 1 }, hasRun: true },
  'had-its-year': { state: 'active', over: cron('0 0 9 * * ? 2020', { dialect: 'quartz' }), hasRun: true },
  'year-was-over': { state: 'never_fires', over: cron('0 0 9 * * ? 2020', { dialect: 'quartz' }) },
  'no-such-day-of-any-year': {
    state: 'never_fires',
    over: cron('0 0 9 30 2 ? *', { dialect: 'quartz' }),
    hasRun: true,
  },
  'rule-was-counted': { state: 'active', over: rule('FREQ=DAILY;COUNT=2'), hasRun: true },
  'rule-has-no-day': { state: 'never_fires', over: rule('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'), hasRun: true },
  'rests-and-fails': { state: 'finished', pauses: [['-1 h', null, 'by a run']], error: 'no such zone' },
};

for (const [index, [name, { pauses = [], error = null, over, hasRun }]] of Object.entries(TASKS).entries()) {
  const pool = index % 3 === 0 ? 'night' : 'default';
  const id = await makeTask(db, {
    name,
    pool,
    ...(over ? { schedule: over } : {}),
    labels: { team: index % 2 === 0 ? 'a' : 'b' },
  });
  for (const [from, until, byRun] of pauses)
    await db.pool.query(
      `INSERT INTO task_pause (task_id, from_at, until_at, run_id, created_by) VALUES ($1, now() + $2::interval, now() + $3::interval, $4, 'ann')`,
      [id, from, until, byRun ? randomUUID() : null],
    );
  // The next occurrences, the times of edits and the sources are each in an order of their own.
  await db.pool.query('UPDATE task_plan SET plan_error = $2, next_run_at = $3 WHERE task_id = $1', [
    ...[id, error, over || index === 11 ? null : ago(((index * 5) % 29) * MINUTE)],
  ]);
  if (hasRun)
    await db.pool.query(
      `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at, finished_at)
       VALUES ($1, $2, $3, $4, 1, 1, 'schedule', 'succeeded', $5, 1, 'skip', 'default', $2, now())`,
      [newRunId(ago(0)), ago(0), db.namespace, id, name],
    );
  await db.pool.query('UPDATE task SET updated_at = $2, source = $3 WHERE id = $1', [
    ...[id, ago(((index * 7) % 29) * MINUTE), `source-${(index * 11) % 29}`],
  ]);
}

const ALL = { order: 'name', descending: false, after: null, limit: 100 } as const;

async function names(filter: TaskPageFilter, asked: Partial<Parameters<typeof taskPage>[2]> = {}): Promise<string[]> {
  const places = await taskPage(db, filter, { ...ALL, ...asked });
  const tasks = await listTasksById(
    db,
    places.map(({ id }) => id),
  );
  return tasks.map(({ name }) => name);
}

const ofState = (...states: StateOfTask[]) =>
  Object.keys(TASKS)
    .filter((name) => states.includes(TASKS[name]?.state ?? 'active'))
    .toSorted();

it.each<StateOfTask[]>([
  ['active'],
  ['paused'],
  ['finished'],
  ['unplannable'],
  ['paused', 'unplannable'],
  ['never_fires'],
  ['active', 'finished'],
  ['paused', 'never_fires'],
])('the tasks of a state have what makes it: %s %s', async (...states) => {
  expect(await names({ states })).toEqual(ofState(...states));
  expect((await names({ states }, { order: 'next' })).toSorted()).toEqual(ofState(...states));
});

const SQL: Record<TaskOrder, string> = {
  name: 'name',
  next: `coalesce(plan_at, 'infinity')`,
  updated: 'updated_at',
  pool: 'pool',
  source: 'source',
  state: `CASE name ${Object.entries(TASKS)
    .map(([name, { state }]) => `WHEN '${name}' THEN '${state}'`)
    .join(' ')} END`,
};

it.each(TASK_ORDERS)('tasks are in the order asked, or the other way round: by %s', async (order) => {
  const sorted = async (way: string) => {
    const { rows } = await db.pool.query<{ name: string }>(
      `SELECT name FROM task JOIN task_plan ON task_id = id ORDER BY ${SQL[order]} ${way}, id ${way}`,
    );
    return rows.map(({ name }) => name);
  };
  expect(await names({}, { order })).toEqual(await sorted('ASC'));
  expect(await names({}, { order, descending: true })).toEqual(await sorted('DESC'));
});

it.each(['name', 'next'] as const)('all bounds hold together, by %s', async (order) => {
  const asked = async (filter: TaskPageFilter) => (await names(filter, { order })).toSorted();
  const all = Object.keys(TASKS);
  const night = all.filter((_, index) => index % 3 === 0).toSorted();
  expect(await asked({ pool: 'night' })).toEqual(night);
  expect(await asked({ source: 'source-0' })).toEqual(['nothing']);
  expect(await asked({ name: '*fails' })).toEqual(['fails', 'paused-and-fails', 'rests-and-fails']);
  const ofTeam = all.filter((_, index) => index % 2 === 0);
  const labels = parseSelector('team=a');
  expect(await asked({ labels })).toEqual(ofTeam.toSorted());
  expect(await asked({ labels, pool: 'night' })).toEqual(night.filter((name) => ofTeam.includes(name)));
  expect(await asked({ labels, states: ['paused'] })).toEqual(
    ofState('paused').filter((name) => ofTeam.includes(name)),
  );
});

it.each(['name', 'next'] as const)('a page goes on after a task, without it, by %s', async (order) => {
  const all = await taskPage(db, {}, { ...ALL, order });
  for (const [index, after] of all.entries())
    expect(await taskPage(db, {}, { ...ALL, order, after, limit: 3 })).toEqual(all.slice(index + 1, index + 4));
});

it('a task that is deleted, or of another namespace, is on no page', async () => {
  const deleted = await makeTask(db, { name: 'deleted' });
  await db.pool.query('UPDATE task SET deleted_at = now() WHERE id = $1', [deleted]);
  await makeTask({ ...db, namespace: 'other' }, { name: 'elsewhere' });
  for (const order of ['name', 'next'] as const)
    expect((await names({}, { order })).toSorted()).toEqual(Object.keys(TASKS).toSorted());
});
