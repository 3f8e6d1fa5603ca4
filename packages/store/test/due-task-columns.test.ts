import { randomUUID } from 'node:crypto';
import type { TaskInput } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { dueTasks, occurrencesKnown, writeHeartbeat } from '../src/index.ts';
import { ago, MINUTE, makeTask, twoProcesses, WORKER } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

beforeEach(async () => {
  await one.pool.query('DELETE FROM fleet_freeze');
});

/** All of these instants are relative to this one. */
const NEXT = ago(20 * MINUTE);
const beside = (ms: number) => new Date(NEXT.getTime() + ms);

/** A task whose next occurrence is at `NEXT`. */
async function make(name: string, more: Partial<TaskInput> = {}): Promise<string> {
  const id = await makeTask(one, { name, ...more });
  await setNext(id, NEXT);
  return id;
}

const setNext = (id: string, at: Date) =>
  one.pool.query('UPDATE task_plan SET next_run_at = $2 WHERE task_id = $1', [id, at]);

const setTask = (id: string, columns: string, ...values: unknown[]) =>
  one.pool.query(`UPDATE task SET ${columns} WHERE id = $1`, [id, ...values]);

async function dueTask(id: string) {
  const { tasks } = await dueTasks(one, { horizonMs: 60 * MINUTE, limit: 1000 });
  const found = tasks.find((task) => task.id === id);
  if (!found) throw new Error('the task is not due');
  return found;
}

interface Row {
  at: Date;
  state?: string;
  origin?: string;
  need?: string | null;
}

/** A run of a task; it has succeeded, if nothing else is said. */
const addRun = (taskId: string, { at, state = 'succeeded', origin = 'schedule', need = null }: Row) =>
  one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool, need,
       due_at, finished_at)
     SELECT $2, $3::timestamptz, t.namespace, t.id, t.version, t.plan_epoch, $4, $5::text, 'as it was', t.name, 1, t.overlap, t.pool, $6,
       $3::timestamptz, CASE WHEN $5 NOT IN ('planned', 'queued', 'held') THEN now() END
     FROM task t WHERE t.id = $1`,
    [taskId, randomUUID(), at.toISOString(), origin, state, need],
  );

it('a task without more says so', async () => {
  const task = await dueTask(await make('plain', { payload: { to: 'all' } }));
  expect(task).toMatchObject({
    pauses: [],
    handovers: [],
    calendars: [],
    begunBefore: 0,
    openBefore: false,
    taken: [],
    workers: null,
  });
  expect(task.payload).toBeUndefined();
});

it('a payload is read where the key is a template, and there is one', async () => {
  const payload = { to: 'all' };
  expect((await dueTask(await make('templated', { key: 'mail-{{ payload.to }}', payload }))).payload).toEqual(payload);
  const id = await make('no-payload', { key: 'mail-{{ payload.to }}', payload });
  await setTask(id, `definition = definition - 'payload'`);
  expect((await dueTask(id)).payload).toBeUndefined();
});

it('calendars are those the task uses, of its namespace, as they are in force', async () => {
  const calendar = (namespace: string, name: string, version: number, ended: boolean) =>
    one.pool.query(
      `INSERT INTO calendar_version (namespace, name, version, definition, created_by, ended_at)
       VALUES ($1, $2, $3, jsonb_build_object('days', jsonb_build_array(), 'version', $3::integer), 'ann', CASE WHEN $4 THEN now() END)`,
      [namespace, name, version, ended],
    );
  for (const name of ['used', 'late', 'unused']) await calendar(one.namespace, name, 2, false);
  await calendar(one.namespace, 'used', 1, true);
  await calendar('other', 'used', 3, false);
  const id = await make('with-calendars');
  await setTask(id, `rules = rules || '{"calendars": {"exclude": ["used", "late"]}}'`);
  expect((await dueTask(id)).calendars).toEqual([
    { name: 'late', definition: { days: [], version: 2 } },
    { name: 'used', definition: { days: [], version: 2 } },
  ]);
  expect((await dueTask(await make('without-calendars'))).calendars).toEqual([]);
});

const pause = (id: string, untilAt: Date | null) =>
  one.pool.query(
    `INSERT INTO task_pause (task_id, from_at, until_at, note, created_by) VALUES ($1, $2, $3, 'paused', 'ann')`,
    [id, beside(-MINUTE), untilAt],
  );
const freeze = (namespace: string, untilAt: Date | null) =>
  one.pool.query(
    `INSERT INTO fleet_freeze (namespace, from_at, until_at, note, created_by) VALUES ($1, $2, $3, 'frozen', 'ann')`,
    [namespace, beside(-MINUTE), untilAt],
  );
const PAUSED = { fromAt: beside(-MINUTE), note: 'paused', frozen: false };
const FROZEN = { fromAt: beside(-MINUTE), note: 'frozen', frozen: true };

it('pauses and freezes are told with their ends, freezes first', async () => {
  const id = await make('both');
  await pause(id, null);
  await freeze(one.namespace, beside(MINUTE));
  expect((await dueTask(id)).pauses).toEqual([
    { ...FROZEN, untilAt: beside(MINUTE) },
    { ...PAUSED, untilAt: null },
  ]);
});

it('either is told without the other', async () => {
  const [paused, free] = [await make('paused-alone'), await make('frozen-alone')];
  await pause(paused, beside(MINUTE));
  expect((await dueTask(paused)).pauses).toEqual([{ ...PAUSED, untilAt: beside(MINUTE) }]);
  expect((await dueTask(free)).pauses).toEqual([]);
  await freeze(one.namespace, null);
  expect((await dueTask(free)).pauses).toEqual([{ ...FROZEN, untilAt: null }]);
});

it('pauses of other tasks and freezes of other namespaces are not among those of a task', async () => {
  const [id, another] = [await make('beside-others'), await make('another')];
  await pause(id, null);
  await pause(another, beside(MINUTE));
  await freeze('other', null);
  expect((await dueTask(id)).pauses).toEqual([{ ...PAUSED, untilAt: null }]);
});

it('a pause that ends with the next occurrence, or before, is not told', async () => {
  const id = await make('ends');
  await pause(id, NEXT);
  expect((await dueTask(id)).pauses).toEqual([]);
  await pause(id, beside(1));
  expect((await dueTask(id)).pauses).toEqual([{ ...PAUSED, untilAt: beside(1) }]);
});

const CAUGHT_UP = { state: 'succeeded', origin: 'catch_up' } as const;

it.each<[string, Row[], number]>([
  [
    'each that was caught up',
    [
      { ...CAUGHT_UP, at: beside(-MINUTE) },
      { ...CAUGHT_UP, at: beside(-2 * MINUTE) },
    ],
    2,
  ],
  [
    'none that was missed, and those before it',
    [
      { at: beside(-MINUTE), state: 'missed' },
      { ...CAUGHT_UP, at: beside(-2 * MINUTE) },
    ],
    1,
  ],
  ['none before one that was in time', [{ at: beside(-MINUTE) }, { ...CAUGHT_UP, at: beside(-2 * MINUTE) }], 0],
  ['none that has not begun', [{ at: beside(-MINUTE), state: 'queued', origin: 'catch_up' }], 0],
  [
    'none that is later',
    [
      { ...CAUGHT_UP, at: NEXT },
      { ...CAUGHT_UP, at: beside(MINUTE) },
    ],
    0,
  ],
  ['none of a backfill', [{ at: beside(-MINUTE), state: 'succeeded', origin: 'backfill' }], 0],
])('of the occurrences of an outage that have begun as catch-ups counts %s', async (why, rows, expected) => {
  const id = await make(`before-${why.replaceAll(/\W+/g, '-')}`, { catchUp: 'earliest' });
  for (const row of rows) await addRun(id, row);
  expect((await dueTask(id)).begunBefore).toBe(expected);
});

it('those of another task do not count, nor more than the policy may have', async () => {
  const [id, another] = [await make('counted', { catchUp: { policy: 'all', max: 2 } }), await make('not-counted')];
  for (const minutes of [1, 2, 3]) await addRun(id, { ...CAUGHT_UP, at: beside(-minutes * MINUTE) });
  await addRun(another, { at: beside(-1) });
  expect((await dueTask(id)).begunBefore).toBe(2);
});

it.each<[string, Row, boolean]>([
  ['one that was chosen', { at: beside(-MINUTE), state: 'queued', origin: 'catch_up' }, true],
  ['one that is held', { at: beside(-MINUTE), state: 'held', origin: 'catch_up' }, true],
  ['none that is in time', { at: beside(-MINUTE), state: 'queued' }, false],
  ['none that has run', { ...CAUGHT_UP, at: beside(-MINUTE) }, false],
  ['none that is later', { at: NEXT, state: 'queued', origin: 'catch_up' }, false],
])('an older occurrence may still be caught up: %s', async (why, row, expected) => {
  const id = await make(`open-${why.replaceAll(/\W+/g, '-')}`, { catchUp: 'all' });
  await addRun(id, row);
  expect((await dueTask(id)).openBefore).toBe(expected);
});

it('older occurrences are looked at only where the policy asks for them, and the next one has passed', async () => {
  const [id, none] = [await make('asked', { catchUp: 'earliest' }), await make('not-asked', { catchUp: 'latest' })];
  for (const task of [id, none]) await addRun(task, { ...CAUGHT_UP, at: beside(-MINUTE) });
  for (const task of [id, none]) await addRun(task, { at: beside(-1), state: 'queued', origin: 'catch_up' });
  expect(await dueTask(none)).toMatchObject({ begunBefore: 0, openBefore: false });
  expect(await dueTask(id)).toMatchObject({ begunBefore: 1, openBefore: true });
  await setNext(id, ago(-10 * MINUTE));
  expect(await dueTask(id)).toMatchObject({ begunBefore: 0, openBefore: false });
});

/** The task is as it is since half an hour before `NEXT`: rows were made until half an hour after it. */
async function makeEdited(name: string): Promise<string> {
  const id = await make(name);
  await setTask(id, 'effective_at = $2', beside(-30 * MINUTE));
  return id;
}

const takenOf = async (id: string) => {
  const { taken } = await occurrencesKnown(one, { id });
  expect((await dueTask(id)).taken).toEqual(taken);
  return taken;
};

it.each<[string, Row, number]>([
  ['of the next instant', { at: NEXT }, 1],
  ['of an instant before', { at: beside(-1) }, 0],
  ['made as far ahead as rows are made', { at: beside(30 * MINUTE - 1) }, 1],
  ['made further ahead', { at: beside(30 * MINUTE) }, 0],
  ['that is caught up', { at: NEXT, origin: 'catch_up' }, 1],
  ['of a backfill', { at: NEXT, origin: 'backfill' }, 1],
  ['that was asked for', { at: NEXT, origin: 'trigger' }, 0],
  ['that is planned', { at: NEXT, state: 'planned' }, 0],
  ['that is queued', { at: NEXT, state: 'queued' }, 0],
  ['that was superseded', { at: NEXT, state: 'superseded' }, 0],
  ['that was skipped', { at: NEXT, state: 'skipped' }, 1],
  ['of one worker among several', { at: NEXT, need: 'shell@web1' }, 0],
])('whether an instant is taken by a row from before an edit: one %s', async (why, row, taken) => {
  const id = await makeEdited(`taken-${why.replaceAll(' ', '-')}`);
  await addRun(id, row);
  expect(await takenOf(id)).toEqual(taken === 1 ? [row.at] : []);
});

it('rows of another task take no instant', async () => {
  const [id, another] = [await makeEdited('untaken'), await makeEdited('taken-by-its-own')];
  await addRun(another, { at: NEXT });
  expect(await takenOf(id)).toEqual([]);
  expect(await takenOf(another)).toEqual([NEXT]);
});

it('of a task in another namespace, or none, nothing is known', async () => {
  const id = await makeEdited('known');
  await makeEdited('known-beside');
  await addRun(id, { at: NEXT });
  await setTask(id, `rules = rules || '{"runOn": "workers"}'`);
  const none = { taken: [], workers: null, handovers: [], begunBefore: 0, openBefore: false };
  expect(await occurrencesKnown(other, { id })).toEqual(none);
  expect(await occurrencesKnown(one, { id: randomUUID() })).toEqual(none);
  await writeHeartbeat(one, { ...WORKER, name: 'web1' }, { activeRuns: [], clockOffsetMs: 0 });
  expect(await occurrencesKnown(one, { id })).toEqual({ ...none, taken: [NEXT], workers: ['web1'] });
});
