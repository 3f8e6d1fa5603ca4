import { UNKNOWN_SIDE } from '@escapement/core/shadow';
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
async function aTask(
  name: string,
  runs: readonly (readonly [number, string])[],
  { db = one, catchUp = 'latest' }: { db?: typeof one; catchUp?: 'latest' | 'earliest' | 'ask' } = {},
): Promise<QueuedFixture[]> {
  const taskId = await makeTask(db, { name, catchUp });
  const made = await queueRuns(
    db,
    runs.map(([minutes]) => ({ taskId, key: name, ageMs: minutes * MINUTE })),
  );
  for (const [index, [, columns]] of runs.entries()) await set(made[index], columns);
  await one.pool.query(`UPDATE task_plan SET next_run_at = now() + interval '1 h' WHERE task_id = $1`, [taskId]);
  return made;
}

const look = async (limit = 100, db: typeof one = one) => (await misfiredRuns(db, limit)).tasks;
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
  const nothing = { newerIsDue: false, newerMisfired: 0, begunBefore: 0, calendars: [] };
  expect(tasks).toMatchObject([
    { name: 'late', runs: ids(runs), ...nothing, worker: null },
    { name: 'beside', ...nothing },
  ]);
  expect(await look(100, other)).toEqual([]);
});

it('there may be more where so many were found as were asked for; of a task that was found all runs are there', async () => {
  const runs = await aTask('more', LATE);
  expect(await misfiredRuns(one, 3)).toMatchObject({ more: false, tasks: [{ newerMisfired: 0 }] });
  expect(await misfiredRuns(one, 2)).toMatchObject({ more: true, tasks: [{ newerMisfired: 0 }] });
  await aTask('beside', [[4, MISFIRED]]);
  expect(await misfiredRuns(one, 1)).toMatchObject({ more: true, tasks: [{ runs: ids(runs), newerIsDue: false }] });
});

it('newer ones that misfired on their way to a repeat are counted', async () => {
  const runs = await aTask('repeats', [...LATE, [3, `${MISFIRED}, state = 'planned'`]]);
  expect(await look()).toMatchObject([{ runs: ids(runs.slice(0, 2)), newerMisfired: 1 }]);
});

const CHOSEN = `origin = 'catch_up', misfire_at = now() + interval '1 h'`;
const HELD = `origin = 'catch_up', state = 'held', reason = 'x', misfire_at = NULL`;
const STARTED = `state = 'succeeded', finished_at = now(), started_at = now(), attempt = 1`;

it('those that were chosen or left open before are judged with them, each as it is', async () => {
  const open = `${MISFIRED}, due_at = now() + interval '1 min'`;
  const runs = await aTask(
    'together',
    [
      [20, CHOSEN],
      [15, open],
      [10, HELD],
      [5, MISFIRED],
    ],
    { catchUp: 'ask' },
  );
  const [found] = await look();
  expect(found?.runs).toMatchObject([
    { id: runs[0]?.runId, state: 'queued', judged: 'chosen', refused: false },
    { id: runs[1]?.runId, state: 'queued', judged: 'open', refused: true },
    { id: runs[2]?.runId, state: 'held', judged: 'chosen', refused: false },
    { id: runs[3]?.runId, state: 'queued', judged: null, refused: true },
  ]);
});

it.each([
  ['was released by a person', `${CHOSEN}, requested_by = 'ann'`],
  ['waits for its key', `${CHOSEN}, state = 'waiting', waiting_since = now()`],
  ['has waited for it', `${CHOSEN}, waiting_since = now()`],
  ['has begun', `${CHOSEN}, attempt = 1`],
  ['is to be cancelled', `${CHOSEN}, cancel_requested_at = now(), cancel_requested_by = 'ann'`],
  ['is held until it is known who runs it', HELD.replace("'x'", `'${UNKNOWN_SIDE}'`)],
])('one that was chosen and %s is not judged with them', async (_, columns) => {
  const runs = await aTask('apart', [
    [10, columns],
    [5, MISFIRED],
  ]);
  expect(await look()).toMatchObject([{ runs: ids(runs.slice(1)) }]);
});

it('what is held of an earlier outage is left alone: an occurrence after it began in time', async () => {
  const runs = await aTask(
    'held',
    [
      [20, HELD],
      [15, STARTED],
      [10, HELD],
      [5, MISFIRED],
    ],
    { catchUp: 'ask' },
  );
  expect(await look()).toMatchObject([{ runs: ids(runs.slice(2)) }]);
});

it('a choice that holds is no reason to look at a task; one that holds no longer is', async () => {
  const [run] = await aTask('holds', [[10, CHOSEN]]);
  expect(await look()).toEqual([]);
  await set(run, `misfire_at = now() - interval '1 s'`);
  expect(await look()).toMatchObject([{ runs: [{ judged: 'chosen', refused: true }] }]);
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
  ['was caught up', 2, `origin = 'catch_up', state = 'succeeded', finished_at = now()`, true],
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
  expect(await look()).toMatchObject([{ name: 'alone', newerIsDue: false, begunBefore: 0 }]);
});

it('the occurrence that is to be planned next counts once it is due', async () => {
  await aTask('next', LATE);
  expect(await look()).toMatchObject([{ newerIsDue: false }]);
  await one.pool.query('UPDATE task_plan SET next_run_at = NULL');
  expect(await look()).toMatchObject([{ newerIsDue: false }]);
  await one.pool.query(`UPDATE task_plan SET next_run_at = now() - interval '1 min'`);
  expect(await look()).toMatchObject([{ newerIsDue: true }]);
  await one.pool.query(
    `INSERT INTO task_pause (task_id, from_at, until_at, created_by) SELECT task_id, now() - interval '2 min', now(), 'ann' FROM task_plan`,
  );
  expect(await look()).toMatchObject([{ newerIsDue: false }]);
});

const SUCCEEDED = `state = 'succeeded', finished_at = now()`;
const MISSED = `state = 'missed', ${ENDED}`;

const CAUGHT_UP = `${SUCCEEDED}, origin = 'catch_up'`;

it.each<[string, (readonly [number, string])[], number]>([
  ['one', [[30, CAUGHT_UP]], 1],
  [
    'two',
    [
      [40, CAUGHT_UP],
      [30, CAUGHT_UP],
    ],
    2,
  ],
  [
    'one, before one that was missed',
    [
      [40, CAUGHT_UP],
      [30, MISSED],
    ],
    1,
  ],
  [
    'none, since one was in time after it',
    [
      [40, CAUGHT_UP],
      [30, SUCCEEDED],
    ],
    0,
  ],
  ['none, since it is by hand', [[30, `${SUCCEEDED}, origin = 'backfill'`]], 0],
  ['none, since it is of a worker', [[30, `${CAUGHT_UP}, need = 'shell@w'`]], 0],
  ['one between them', [[8, CAUGHT_UP]], 1],
])('how many of an outage have begun as catch-ups is counted: %s', async (_, before, begunBefore) => {
  await aTask('before', [...before, ...LATE], { catchUp: 'earliest' });
  expect(await look()).toMatchObject([{ begunBefore, newerIsDue: false }]);
});

it('the runs of each worker are judged apart, and those of none', async () => {
  const runs = await aTask(
    'spread',
    [
      ...([30, 29] as const).map(
        (minutes, index) => [minutes, `${CAUGHT_UP}, need = 'shell@${['v', 'w'][index]}'`] as const,
      ),
      [10, MISFIRED],
      [9, `${MISFIRED}, need = 'shell@null'`],
      [8, `${MISFIRED}, need = 'shell@v'`],
      [7, `need = 'shell@v'`],
    ],
    { catchUp: 'earliest' },
  );
  expect((await look()).sort((a, b) => (a.worker ?? '').localeCompare(b.worker ?? ''))).toMatchObject([
    { worker: null, runs: ids([runs[2]]), newerIsDue: false, newerMisfired: 0, begunBefore: 0 },
    { worker: 'null', runs: ids([runs[3]]), newerIsDue: false, newerMisfired: 0, begunBefore: 0 },
    { worker: 'v', runs: ids([runs[4]]), newerIsDue: true, newerMisfired: 0, begunBefore: 1 },
  ]);
});
