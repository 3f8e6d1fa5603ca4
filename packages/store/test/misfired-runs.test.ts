import { afterAll, beforeEach, expect, it } from 'vitest';
import { misfiredRuns } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());
beforeEach(async () => {
  for (const table of ['run', 'task']) await one.pool.query(`DELETE FROM ${table}`);
});

const set = (run: QueuedFixture | undefined, columns: string) =>
  one.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [run?.runId]);

const MISFIRED = 'misfire_at = scheduled_for';

/** Queued runs of a task, of these ages in minutes, each with what is said of it. Its next occurrence lies ahead. */
async function aTask(name: string, runs: readonly (readonly [number, string])[], db = one): Promise<QueuedFixture[]> {
  const taskId = await makeTask(db, { name });
  const made = await queueRuns(
    db,
    runs.map(([minutes]) => ({ taskId, key: name, ageMs: minutes * MINUTE })),
  );
  for (const [index, [, columns]] of runs.entries()) await set(made[index], columns);
  await one.pool.query(`UPDATE task_plan SET next_run_at = now() + interval '1 h' WHERE task_id = $1`, [taskId]);
  return made;
}

const look = async (limit = 100, db = one) => (await misfiredRuns(db, limit)).tasks;
const ids = (runs: readonly (QueuedFixture | undefined)[]) => runs.map((run) => ({ id: run?.runId }));
const ENDED = `finished_at = now(), reason = 'x'`;
const LATE = [
  [10, MISFIRED],
  [5, MISFIRED],
] as const;

it('late runs are told by task, the oldest first; nothing else is said where nothing else is', async () => {
  const runs = await aTask('late', LATE);
  await aTask('beside', [[3, MISFIRED]]);
  const tasks = (await look()).sort((a, b) => b.runs.length - a.runs.length);
  const nothing = { newerIsDue: false, newerMisfired: 0, misfiredBefore: false, calendars: [] };
  expect(tasks).toMatchObject([
    { name: 'late', runs: ids(runs), ...nothing, worker: null },
    { name: 'beside', ...nothing },
  ]);
  expect(await look(100, other)).toEqual([]);
});

it('there may be more where so many were found as were asked for; those that are newer are counted', async () => {
  const [oldest] = await aTask('more', LATE);
  expect(await misfiredRuns(one, 3)).toMatchObject({ more: false, tasks: [{ newerMisfired: 0 }] });
  expect(await misfiredRuns(one, 2)).toMatchObject({ more: true, tasks: [{ newerMisfired: 0 }] });
  expect(await misfiredRuns(one, 1)).toMatchObject({
    more: true,
    tasks: [{ runs: ids([oldest]), newerMisfired: 1, newerIsDue: false }],
  });
  await aTask('beside', [[4, MISFIRED]]);
  expect((await look(1))[0]).toMatchObject({ newerMisfired: 1 });
});

it.each([
  ['is not due yet', `due_at = now() + interval '1 h'`],
  ['is at work', `state = 'running', attempt = 1, fence = 1, worker = 'w', started_at = now()`],
  ['may still begin', `misfire_at = now() + interval '1 h'`],
  ['has begun before', 'attempt = 1'],
])('a run that %s is none of them', async (_, columns) => {
  await aTask('not-late', [[5, MISFIRED]]);
  expect(await look()).toHaveLength(1);
  await one.pool.query(`UPDATE run SET ${columns}`);
  expect(await look()).toEqual([]);
});

it('looks begin with the oldest run that is open', async () => {
  const [run] = await aTask('open-from', [[5, MISFIRED]]);
  const from = (ms: number) => ({
    ...one,
    openFrom: { ...one.openFrom, runs: new Date((run?.scheduledFor.getTime() ?? 0) + ms).toISOString() },
  });
  expect(await look(100, from(0))).toHaveLength(1);
  expect(await look(100, from(1))).toEqual([]);
});

it.each<[string, number, string, boolean]>([
  ['is queued', 2, '', true],
  ['has succeeded', 2, `state = 'succeeded', finished_at = now()`, true],
  ['has failed', 2, `state = 'failed', ${ENDED}`, true],
  ['was caught up', 2, `origin = 'catch_up'`, true],
  ['was skipped for another run', 2, `state = 'skipped', ${ENDED}, blocked_by = gen_random_uuid()`, true],
  ['was skipped', 2, `state = 'skipped', ${ENDED}`, false],
  ['was superseded', 2, `state = 'superseded', ${ENDED}`, false],
  ['was missed', 2, `state = 'missed', ${ENDED}`, false],
  ['was cancelled', 2, `state = 'cancelled', ${ENDED}`, false],
  ['was triggered', 2, `origin = 'trigger'`, false],
  ['is of a worker', 2, `need = 'shell@w'`, false],
  ['lies ahead', -30, '', false],
  ['is older', 20, `state = 'succeeded', finished_at = now()`, false],
])('that one which %s counts as a newer one that is due, or not', async (_, minutes, columns, newerIsDue) => {
  const runs = await aTask('newer', [...LATE, [minutes, columns || 'attempt = 0']]);
  expect(await look()).toMatchObject([{ runs: ids(runs.slice(0, 2)), newerIsDue, newerMisfired: 0 }]);
});

it('one of another task is no newer one', async () => {
  await aTask('alone', LATE);
  await aTask('beside', [[2, `state = 'succeeded', finished_at = now()`]]);
  await aTask('before', [[30, `state = 'missed', ${ENDED}`]]);
  expect(await look()).toMatchObject([{ name: 'alone', newerIsDue: false, misfiredBefore: false }]);
});

it('the occurrence that is to be planned next counts once it is due', async () => {
  await aTask('next', LATE);
  expect(await look()).toMatchObject([{ newerIsDue: false }]);
  await one.pool.query('UPDATE task_plan SET next_run_at = NULL');
  expect(await look()).toMatchObject([{ newerIsDue: false }]);
  await one.pool.query(`UPDATE task_plan SET next_run_at = now() - interval '1 min'`);
  expect(await look()).toMatchObject([{ newerIsDue: true }]);
});

const SUCCEEDED = `state = 'succeeded', finished_at = now()`;
const MISSED = `state = 'missed', ${ENDED}`;

it.each<[string, (readonly [number, string])[], boolean]>([
  ['was missed', [[30, MISSED]], true],
  ['was caught up', [[30, `${SUCCEEDED}, origin = 'catch_up'`]], true],
  ['was started', [[30, SUCCEEDED]], false],
  [
    'was missed, after one that was started',
    [
      [40, SUCCEEDED],
      [30, MISSED],
    ],
    true,
  ],
  [
    'was started, after one that was missed',
    [
      [40, MISSED],
      [30, SUCCEEDED],
    ],
    false,
  ],
  [
    'was started, before one by hand that was missed',
    [
      [40, SUCCEEDED],
      [30, `${MISSED}, origin = 'backfill'`],
    ],
    false,
  ],
  [
    'was started, before one of a worker that was missed',
    [
      [40, SUCCEEDED],
      [30, `${MISSED}, need = 'shell@w'`],
    ],
    false,
  ],
])('that the occurrence before them %s is told', async (_, before, misfiredBefore) => {
  await aTask('before', [...before, ...LATE]);
  expect(await look()).toMatchObject([{ misfiredBefore, newerIsDue: false }]);
});

it('the runs of each worker are judged apart, and those of none', async () => {
  const runs = await aTask('spread', [
    ...([30, 29] as const).map(
      (minutes, index) => [minutes, `${MISSED}, need = 'shell@${['v', 'w'][index]}'`] as const,
    ),
    [10, MISFIRED],
    [9, `${MISFIRED}, need = 'shell@null'`],
    [8, `${MISFIRED}, need = 'shell@v'`],
    [7, `need = 'shell@v'`],
  ]);
  expect((await look()).sort((a, b) => (a.worker ?? '').localeCompare(b.worker ?? ''))).toMatchObject([
    { worker: null, runs: ids([runs[2]]), newerIsDue: false, newerMisfired: 0, misfiredBefore: false },
    { worker: 'null', runs: ids([runs[3]]), newerIsDue: false, newerMisfired: 0, misfiredBefore: false },
    { worker: 'v', runs: ids([runs[4]]), newerIsDue: true, newerMisfired: 0, misfiredBefore: true },
  ]);
});
