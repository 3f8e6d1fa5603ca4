import { afterAll, beforeEach, expect, it } from 'vitest';
import { dispatchableRuns } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const HORIZON_MS = 10 * MINUTE;
const GRACE_MS = 5 * MINUTE;
const ALL = { horizonMs: HORIZON_MS, repeatGraceMs: GRACE_MS, limit: 100 };
const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const RESCUED = 50;

beforeEach(() => one.pool.query('DELETE FROM run'));

/** Runs of a task that wait for their repeats, due so many minutes ago; negative: due later. */
async function repeating(name: string, minutes: readonly number[]): Promise<QueuedFixture[]> {
  const taskId = await makeTask(one, { name });
  return await queueRuns(
    one,
    minutes.map((age) => ({ taskId, key: name, ageMs: age * MINUTE })),
    { byRepeat: true },
  );
}

const set = (run: QueuedFixture | undefined, columns: string) =>
  one.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [run?.runId]);

/** A run of a trigger of which the queue was not told. */
async function untold(name: string, minutes: number): Promise<QueuedFixture> {
  const [run] = await repeating(name, [minutes]);
  if (!run) throw new Error('no fixture');
  await set(run, `origin = 'trigger'`);
  return run;
}

const found = async (options: Partial<typeof ALL> = {}, db = one) =>
  (await dispatchableRuns(db, { ...ALL, ...options })).map(({ id }) => id);
const idsOf = (runs: readonly (QueuedFixture | undefined)[]) => runs.map((run) => run?.runId);

it('tells what the queue needs to know of a run, in its own namespace', async () => {
  const run = await untold('told', 1);
  await set(run, `traceparent = '${TRACE}', dispatch = 3`);
  expect(await dispatchableRuns(one, ALL)).toEqual([
    {
      id: run.runId,
      scheduledFor: run.scheduledFor,
      queue: 'default+shell',
      dueAt: run.scheduledFor,
      dispatch: 3,
      traceparent: TRACE,
    },
  ]);
  expect(await dispatchableRuns({ ...one, namespace: 'other' }, ALL)).toEqual([]);
});

it('names a late run that waits for its repeat in its own namespace alone', async () => {
  const [run] = await repeating('own', [7]);
  expect(await found()).toEqual(idsOf([run]));
  expect(await found({}, { ...one, namespace: 'other' })).toEqual([]);
});

it.each([
  ['planned by a trigger', `state = 'planned'`, true],
  ['to be tried again', `state = 'retrying', attempt = 1`, true],
  ['queued', `state = 'queued'`, false],
  ['at work', `state = 'running', attempt = 1, worker = 'w', started_at = now(), fence = 1`, false],
  ['waiting', `state = 'waiting', waiting_since = now()`, false],
  ['held', `state = 'held'`, false],
  ['over', `state = 'succeeded', finished_at = now()`, false],
])('names what the queue has not been told of, and nothing else: a run that is %s', async (why, columns, isFound) => {
  const run = await untold(why.replaceAll(' ', '-'), 1);
  await set(run, columns);
  expect(await found()).toEqual(isFound ? [run.runId] : []);
});

it('names what is due within the horizon', async () => {
  const run = await untold('horizon', -5);
  expect(await found()).toEqual([run.runId]);
  expect(await found({ horizonMs: 4 * MINUTE })).toEqual([]);
});

it('names nothing before the oldest run that is open, and that one too', async () => {
  const [older, newer] = [await untold('older', 9), await untold('newer', 8)];
  const [oldLate, newLate] = [await repeating('old-late', [7]), await repeating('new-late', [6])];
  const from = (run: QueuedFixture | undefined) => ({
    ...one,
    openFrom: { ...one.openFrom, runs: run?.scheduledFor.toISOString() ?? '' },
  });
  expect(await found()).toEqual(idsOf([older, newer, ...oldLate, ...newLate]));
  expect(await found({}, from(newer))).toEqual(idsOf([newer, ...oldLate, ...newLate]));
  expect(await found({}, from(newLate[0]))).toEqual(idsOf(newLate));
});

it('names a run that waits for its repeat once that is late, or it is a misfire', async () => {
  const [late] = await repeating('late', [6]);
  const [inTime] = await repeating('in-time', [4]);
  expect(await found()).toEqual(idsOf([late]));
  await set(inTime, `misfire_at = now() - interval '1 min'`);
  expect(await found()).toEqual(idsOf([late, inTime]));
  await set(inTime, `misfire_at = now() + interval '1 min'`);
  expect(await found()).toEqual(idsOf([late]));
});

it('a repeat that is on its way is not late, though it counts as a misfire or no time is given to it', async () => {
  const [run] = await repeating('on-its-way', [1]);
  await set(run, `due_at = now() + interval '1 min', misfire_at = now() - interval '1 min'`);
  expect(await found()).toEqual([]);
  expect(await found({ repeatGraceMs: -HORIZON_MS })).toEqual([]);
});

it('names the next ones of a task whose repeat is late as well, within the horizon', async () => {
  const [late, next, soon] = await repeating('rescued', [6, 3, -5]);
  await repeating('not-rescued', [3]);
  expect(await found()).toEqual(idsOf([late, next, soon]));
  expect(await found({ horizonMs: 4 * MINUTE })).toEqual(idsOf([late, next]));
});

it('names each run of a task with several late ones once', async () => {
  const runs = await repeating('several-late', [9, 8, 7, 3]);
  expect(await found()).toEqual(idsOf(runs));
});

it.each([
  ['is queued', `state = 'queued'`],
  ['runs', `state = 'running', attempt = 1, worker = 'w', started_at = now(), fence = 1`],
  ['has ended', `state = 'missed', reason = 'why', finished_at = now()`],
  ['is due beyond the horizon', `due_at = now() + interval '1 h'`],
])('names no next one that %s', async (why, columns) => {
  const [late, next] = await repeating(why.replaceAll(' ', '-'), [6, 3]);
  await set(next, columns);
  expect(await found()).toEqual(idsOf([late]));
});

it('names a next one of a trigger once', async () => {
  const [late, next] = await repeating('triggered', [6, 3]);
  await set(next, `origin = 'trigger'`);
  expect(await found()).toEqual(idsOf([late, next]));
});

it('takes along the earliest of many next ones of a task', async () => {
  const next = Array.from({ length: RESCUED + 1 }, (_, index) => 4 - index / 20);
  const runs = await repeating('many', [6, ...next]);
  expect(await found()).toEqual(idsOf(runs.slice(0, RESCUED + 1)));
});

it('takes those first that are due first, of every kind', async () => {
  const [late, next] = await repeating('order-late', [8, 3]);
  const [first, between, last] = [
    await untold('order-first', 9),
    await untold('order-between', 5),
    await untold('order-last', 1),
  ];
  const order = idsOf([first, late, between, next, last]);
  expect(await found()).toEqual(order);
  for (const limit of [1, 2, 4]) expect(await found({ limit })).toEqual(order.slice(0, limit));
});

it('takes that first whose repeat is late for longest', async () => {
  const [[newer], [older]] = [await repeating('late-newer', [7]), await repeating('late-older', [8])];
  expect(await found({ limit: 1 })).toEqual(idsOf([older]));
  expect(await found({ limit: 2 })).toEqual(idsOf([older, newer]));
});
