import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { findTask } from '../src/index.ts';
import { ago, MINUTE, makeTask, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

beforeEach(async () => {
  await one.pool.query('DELETE FROM fleet_freeze');
});

/** Full minutes, so long from now: the tasks run each minute. */
const NOW = Math.floor(ago(0).getTime() / MINUTE) * MINUTE;
const inMinutes = (minutes: number) => new Date(NOW + minutes * MINUTE);

/** A task whose next occurrence without a row is in half an hour, if nothing else is said. */
async function make(name: string, next: Date | null = inMinutes(30)): Promise<string> {
  const id = await makeTask(one, { name });
  await one.pool.query('UPDATE task_plan SET next_run_at = $2 WHERE task_id = $1', [id, next]);
  return id;
}

const startOf = async (name: string) => (await findTask(one, name))?.nextStartAt;

interface Row {
  minutes: number;
  origin?: string;
  ordinal?: number;
  state?: string;
}

const addRun = (taskId: string, { minutes, origin = 'schedule', ordinal, state = 'planned' }: Row) =>
  one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, ordinal, state, reason, key, key_limit, overlap,
       pool, due_at, finished_at)
     SELECT $2, $3::timestamptz, t.namespace, t.id, t.version, t.plan_epoch, $4, $5, $6::text, 'as it was', t.name, 1, t.overlap, t.pool,
       $3::timestamptz, CASE WHEN $6 = 'skipped' THEN now() END
     FROM task t WHERE t.id = $1`,
    [taskId, randomUUID(), inMinutes(minutes).toISOString(), origin, ordinal ?? null, state],
  );

const pause = (taskId: string, from: Date, until: Date | null, runId: string | null = null) =>
  one.pool.query(
    `INSERT INTO task_pause (task_id, from_at, until_at, run_id, note, created_by) VALUES ($1, $2, $3, $4, 'stop', 'ann')`,
    [taskId, from, until, runId],
  );
const freeze = (namespace: string, from: Date, until: Date | null) =>
  one.pool.query(
    `INSERT INTO fleet_freeze (namespace, from_at, until_at, note, created_by) VALUES ($1, $2, $3, 'stop', 'ann')`,
    [namespace, from, until],
  );

it.each<[string, Row[], number]>([
  ['at its next occurrence, where none has a row', [], 30],
  ['with the first that has a row', [{ minutes: 20 }, { minutes: 10 }], 10],
  ['with one that is queued', [{ minutes: 10, state: 'queued' }], 10],
  ['not with one that was skipped', [{ minutes: 10, state: 'skipped' }], 30],
  ['not with one whose instant has passed', [{ minutes: -5, state: 'queued' }], 30],
  ['earlier, where somebody has asked for it', [{ minutes: 10 }, { minutes: 5, origin: 'trigger' }], 5],
  ['with the first that somebody has asked for', ['7', '5'].map((n) => ({ minutes: Number(n), origin: 'trigger' })), 5],
  ['by its schedule, before what somebody has asked for', [{ minutes: 10 }, { minutes: 15, origin: 'trigger' }], 10],
  ['with what another run has decided', [{ minutes: 10, origin: 'chain', ordinal: -1 }], 10],
])('a task starts %s', async (why, runs, minutes) => {
  const name = why.replaceAll(/\W+/g, '-');
  const id = await make(name);
  await addRun(await make(`${name}-beside`), { minutes: 1 });
  for (const run of runs) await addRun(id, run);
  expect(await startOf(name)).toEqual(inMinutes(minutes));
});

it('a task that is never due starts when somebody has asked for it, or never', async () => {
  const id = await make('never-due', null);
  expect(await startOf('never-due')).toBeNull();
  await addRun(id, { minutes: 5, origin: 'trigger' });
  expect(await startOf('never-due')).toEqual(inMinutes(5));
});

it('what somebody has asked for starts though the task is paused', async () => {
  const id = await make('paused-and-asked');
  await pause(id, inMinutes(-10), null);
  expect(await startOf('paused-and-asked')).toBeNull();
  await addRun(id, { minutes: 5, origin: 'trigger' });
  expect(await startOf('paused-and-asked')).toEqual(inMinutes(5));
});

it('a pause or freeze is passed over, or never ends', async () => {
  const [paused, resting] = [await make('paused'), await make('paused-for-ever')];
  await pause(paused, inMinutes(-10), inMinutes(40));
  expect(await startOf('paused')).toEqual(inMinutes(40));
  await pause(resting, inMinutes(-10), null);
  expect(await startOf('paused-for-ever')).toBeNull();
  await make('frozen');
  await freeze(one.namespace, inMinutes(-10), inMinutes(50));
  expect(await startOf('frozen')).toEqual(inMinutes(50));
  await freeze(one.namespace, inMinutes(-10), null);
  expect(await startOf('frozen')).toBeNull();
});

it('freezes of other namespaces, and those that are over, are in the way of nothing', async () => {
  await make('overdue', inMinutes(-10));
  await freeze('other', inMinutes(-20), null);
  await freeze(one.namespace, inMinutes(-20), inMinutes(-5));
  expect(await startOf('overdue')).toEqual(inMinutes(-10));
});

it('what a run has decided goes before the schedule: the task starts at the instant before its rest ends', async () => {
  const [decided, open] = [await make('decided'), await make('undecided')];
  await pause(decided, inMinutes(-10), new Date(inMinutes(45).getTime() + 1), randomUUID());
  expect(await startOf('decided')).toEqual(inMinutes(45));
  await pause(open, inMinutes(-10), null, randomUUID());
  expect(await startOf('undecided')).toBeNull();
});

it('the pauses of a task are told that have not ended', async () => {
  const [id, beside] = [await make('pauses'), await make('pauses-beside')];
  await pause(id, inMinutes(-20), inMinutes(-10));
  await pause(id, inMinutes(-20), inMinutes(10));
  await pause(beside, inMinutes(-20), inMinutes(20));
  const said = { fromAt: inMinutes(-20), note: 'stop', createdBy: 'ann', runId: null, failures: null };
  expect((await findTask(one, 'pauses'))?.pauses).toEqual([{ ...said, untilAt: inMinutes(10) }]);
  const runId = randomUUID();
  await pause(beside, inMinutes(-20), null, runId);
  const pauses = (await findTask(one, 'pauses-beside'))?.pauses;
  expect(pauses).toHaveLength(2);
  expect(pauses).toEqual(
    expect.arrayContaining([
      { ...said, untilAt: inMinutes(20) },
      { ...said, untilAt: null, runId },
    ]),
  );
});

it('a task in the shadow of cron starts as asked alone, one that the fleet has taken by its schedule', async () => {
  const id = await make('of-cron');
  await one.pool.query(
    `UPDATE task SET rules = rules || '{"shadow": {"line": "0123456789ab"}}', definition = definition || '{"shadow": {"line": "0123456789ab"}}'
     WHERE id = $1`,
    [id],
  );
  expect(await startOf('of-cron')).toBeNull();
  await one.pool.query(
    `INSERT INTO cron_cutover (namespace, line, task_id, host, to_side, at, asked_by, state, answer, answered_at)
     VALUES ($1, '0123456789ab', $2, 'web1', 'fleet', $3, 'ann', 'taken', 'taken', now())`,
    [one.namespace, id, inMinutes(40)],
  );
  expect(await startOf('of-cron')).toEqual(inMinutes(40));
});
