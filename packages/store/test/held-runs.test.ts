import { newRunId } from '@escapement/core';
import { parseSelector } from '@escapement/core/rights';
import { by, lockRows } from '@escapement/testkit';
import fc from 'fast-check';
import { afterAll, beforeEach, expect, it } from 'vitest';
import {
  countHeld,
  dropHeld,
  type HeldOptions,
  type HeldRun,
  heldRuns,
  heldTasks,
  type PlacedRun,
  releaseHeld,
} from '../src/index.ts';
import { ago, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
const other = { ...one, namespace: 'other' };
afterAll(() => processes.close());

const ALL: HeldOptions = { tasks: null, choice: 'all' };
const PAGE = { after: undefined, limit: 100 };
const ANN = by('ann');
const NOW = ago(0);

beforeEach(() => one.pool.query('DELETE FROM run'));

/** Held runs of a task, so many minutes old. */
async function held(
  name: string,
  minutes: readonly number[],
  more: { priority?: number; description?: string; labels?: Record<string, string> } = {},
): Promise<QueuedFixture[]> {
  const taskId = await makeTask(one, { name, ...more });
  const runs = await queueRuns(
    one,
    minutes.map((age) => ({ taskId, key: name, ageMs: age * MINUTE })),
  );
  await one.pool.query(`UPDATE run SET state = 'held', origin = 'catch_up', reason = 'late' WHERE key = $1`, [name]);
  return runs;
}

async function heldOne(name: string): Promise<QueuedFixture> {
  const [run] = await held(name, [10]);
  if (!run) throw new Error('no fixture');
  return run;
}

const set = (run: QueuedFixture | undefined, columns: string) =>
  one.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [run?.runId]);

const found = async (options: HeldOptions = ALL, db = one) => await heldRuns(db, { ...options, ...PAGE });
const idsFound = async (options: HeldOptions = ALL) => (await found(options)).map(({ id }) => id);
const idsOf = (runs: readonly (QueuedFixture | undefined)[]) => runs.map((run) => run?.runId);

async function rowOf(run: QueuedFixture) {
  const { rows } = await one.pool.query(
    'SELECT state, reason, requested_by, due_at, start_by, overlap, dispatch FROM run WHERE id = $1',
    [run.runId],
  );
  return rows[0];
}

/** Who has done what with a run. */
async function actionsOn(run: QueuedFixture) {
  const { rows } = await one.pool.query<{ action: string; who: string }>(
    'SELECT action, principal_name AS who FROM audit WHERE subject = $1 AND namespace = $2',
    [`run:${run.runId}`, one.namespace],
  );
  return rows;
}

const goingOn = (run: QueuedFixture, dueAt = NOW): HeldRun & { dueAt: Date } => ({ ...asHeld(run), dueAt });

function asHeld({ runId: id, scheduledFor, dispatch }: QueuedFixture): HeldRun {
  return { id, scheduledFor, dispatch, priority: 0 };
}

const NOT_FOR_A_PERSON: [string, string][] = [
  ['is queued', `state = 'queued'`],
  ['has ended', `state = 'missed', finished_at = now()`],
  [
    'is held until it is known whether cron runs it',
    `reason = 'not known whether cron runs it: web-1 has not answered'`,
  ],
];

it('names held runs, of all tasks or of some', async () => {
  const [a, b] = [await heldOne('named-a'), await heldOne('named-b')];
  expect(await found({ ...ALL, tasks: ['named-a'] })).toEqual([
    { id: a.runId, scheduledFor: a.scheduledFor, dispatch: 1, priority: 0, place: 1 },
  ]);
  expect((await idsFound()).sort()).toEqual([a.runId, b.runId].sort());
  expect(await idsFound({ ...ALL, tasks: [] })).toEqual([]);
  expect(await idsFound({ ...ALL, runs: [b.runId] })).toEqual([b.runId]);
  expect(await found(ALL, other)).toEqual([]);
});

it.each(NOT_FOR_A_PERSON)('a run that %s is none to judge', async (why, columns) => {
  const run = await heldOne(why.replaceAll(' ', '-'));
  await set(run, columns);
  expect(await found()).toEqual([]);
  expect(await countHeld(one, ALL)).toBe(0);
  expect(await heldTasks(one)).toEqual([]);
  expect(await releaseHeld(one, [goingOn(run)], ANN)).toBe(0);
});

it('a run is held for a person where nobody has said why', async () => {
  const run = await heldOne('no-reason');
  await set(run, 'reason = NULL');
  expect(await idsFound()).toEqual([run.runId]);
});

it('names the newest of each task, or all but those', async () => {
  const [newA, oldA, midA] = await held('choice-a', [1, 5, 3]);
  const [newB, oldB] = await held('choice-b', [2, 4]);
  await one.pool.query(`UPDATE run SET state = 'queued' WHERE id = $1`, [newB?.runId]);
  expect(await idsFound()).toEqual(idsOf([oldA, oldB, midA, newA]));
  expect(await idsFound({ ...ALL, choice: 'newest' })).toEqual(idsOf([oldB, newA]));
  expect(await idsFound({ ...ALL, choice: 'older' })).toEqual(idsOf([oldA, midA]));
  expect(await idsFound({ ...ALL, choice: 'older', runs: [oldB?.runId ?? ''] })).toEqual([]);
});

it('of two of one instant the one with the greater id is the newest', async () => {
  const runs = await held('twins', [10, 5]);
  const [first, second] = idsOf(runs).sort();
  await one.pool.query(
    `UPDATE run SET need = 'shell@' || id, scheduled_for = (SELECT min(scheduled_for) FROM run) WHERE key = 'twins'`,
  );
  expect(await idsFound({ ...ALL, choice: 'newest' })).toEqual([second]);
  expect(await idsFound({ ...ALL, choice: 'older' })).toEqual([first]);
});

it('names those of a higher priority first, then the oldest, a page after the other', async () => {
  const [plainNew, plainOld] = await held('plain', [3, 9]);
  const [urgentNew, urgentOld] = await held('urgent', [1, 5], { priority: 50 });
  const [between] = await held('between', [20], { priority: 20 });
  const order = idsOf([urgentOld, urgentNew, between, plainOld, plainNew]);
  expect(await idsFound()).toEqual(order);
  const pages: string[][] = [];
  let after: PlacedRun | undefined;
  do {
    const page = await heldRuns(one, { ...ALL, after, limit: 2 });
    pages.push(page.map(({ id }) => id));
    after = page.at(-1);
  } while (after);
  expect(pages).toEqual([order.slice(0, 2), order.slice(2, 4), order.slice(4), []]);
});

/** All held runs, read so many at a time. */
async function allInPages(order: readonly string[], limit: number): Promise<string[]> {
  const ids: string[] = [];
  let after: PlacedRun | undefined;
  do {
    const page = await heldRuns(one, { ...ALL, order, after, limit });
    ids.push(...page.map(({ id }) => id));
    after = page.at(-1);
  } while (after);
  return ids;
}

it('whatever the order of tasks, each run comes once: by the place of its task, by priority, by age', async () => {
  const tasks = { a: 0, b: 0, c: 50, d: 20, e: 20 } as const;
  const names = Object.keys(tasks);
  const rows: { id: string; name: string; priority: number; age: number }[] = [];
  for (const [index, [name, priority]] of Object.entries(tasks).entries()) {
    const ages = [index + 1, index + 6.5, 20 - index];
    const runs = await held(name, ages, { priority });
    rows.push(...runs.map(({ runId }, at) => ({ id: runId, name, priority, age: ages[at] ?? 0 })));
  }
  const anyOrder = fc.shuffledSubarray([...names, 'holds-nothing']);
  await fc.assert(
    fc.asyncProperty(anyOrder, fc.integer({ min: 1, max: 16 }), async (order, limit) => {
      const place = ({ name }: { name: string }) => (order.includes(name) ? order.indexOf(name) : order.length);
      const expected = rows.toSorted((x, y) => place(x) - place(y) || y.priority - x.priority || y.age - x.age);
      expect(await allInPages(order, limit)).toEqual(expected.map(({ id }) => id));
    }),
    { numRuns: 40 },
  );
});

it('counts what it would name', async () => {
  await held('count-a', [1, 5, 3]);
  const [b] = await held('count-b', [2, 4]);
  expect(await countHeld(one, ALL)).toBe(5);
  expect(await countHeld(one, { ...ALL, choice: 'newest' })).toBe(2);
  expect(await countHeld(one, { ...ALL, choice: 'older', tasks: ['count-a'] })).toBe(2);
  expect(await countHeld(one, { ...ALL, runs: [b?.runId ?? ''] })).toBe(1);
  expect(await countHeld(other, ALL)).toBe(0);
});

it('tells what each task has to catch up, the oldest first', async () => {
  const [last, first] = await held('told', [3, 9], {
    priority: 7,
    description: 'what it is for',
    labels: { team: 'a' },
  });
  await held('told-older', [20]);
  await set(first, `reason = 'the older one'`);
  const told = {
    task: 'told',
    taskId: expect.any(String),
    description: 'what it is for',
    priority: 7,
    held: 2,
    reason: 'late',
    firstAt: first?.scheduledFor,
    lastAt: last?.scheduledFor,
  };
  expect(await heldTasks(one)).toMatchObject([{ task: 'told-older', description: null, priority: 0, held: 1 }, told]);
  expect(await heldTasks(one, { task: 'told' })).toEqual([told]);
  expect(await heldTasks(one, { task: 'nobody' })).toEqual([]);
  expect(await heldTasks(one, { labels: parseSelector('team=a') })).toEqual([told]);
  expect(await heldTasks(one, { labels: parseSelector('team=b') })).toEqual([]);
  expect(await heldTasks(other)).toEqual([]);
});

it('tells tasks of one instant by their names', async () => {
  const at = `scheduled_for = '${NOW.toISOString()}'`;
  for (const name of ['same-b', 'same-a']) await set(await heldOne(name), at);
  expect((await heldTasks(one)).map(({ task }) => task)).toEqual(['same-a', 'same-b']);
});

it('what is let go is planned for its own time, without a deadline, and somebody has done it', async () => {
  const [run, another] = await held('let-go', [10, 5]);
  if (!run || !another) throw new Error('no fixture');
  await set(run, 'start_by = now()');
  const due = [ago(2 * MINUTE), ago(MINUTE)];
  expect(await releaseHeld(one, [goingOn(run, due[0]), goingOn(another, due[1])], ANN)).toBe(2);
  expect(await rowOf(run)).toEqual({
    state: 'planned',
    reason: null,
    requested_by: 'ann',
    due_at: due[0],
    start_by: null,
    overlap: 'wait-all',
    dispatch: 1,
  });
  expect(await rowOf(another)).toMatchObject({ state: 'planned', due_at: due[1] });
  expect(await actionsOn(run)).toEqual([{ action: 'recovery run', who: 'ann' }]);
  expect(await releaseHeld(one, [goingOn(run)], ANN)).toBe(0);
  expect(await actionsOn(run)).toHaveLength(1);
});

it('what may overlap still may once it is let go', async () => {
  const run = await heldOne('overlaps');
  await set(run, `overlap = 'allow'`);
  await releaseHeld(one, [goingOn(run)], ANN);
  expect(await rowOf(run)).toMatchObject({ overlap: 'allow' });
});

it('nobody lets go or drops what is of another namespace, or not there', async () => {
  const run = await heldOne('elsewhere');
  expect(await releaseHeld(other, [goingOn(run)], ANN)).toBe(0);
  expect(await dropHeld(other, [asHeld(run)], ANN)).toBe(0);
  const gone = { ...run, runId: newRunId(run.scheduledFor) };
  expect(await releaseHeld(one, [goingOn(gone)], ANN)).toBe(0);
  expect(await dropHeld(one, [asHeld(gone)], ANN)).toBe(0);
  expect(await rowOf(run)).toMatchObject({ state: 'held' });
  expect(await actionsOn(run)).toEqual([]);
});

it('does not wait for a row that somebody else is judging, and lets the others go', async () => {
  const [busy, free] = await held('judged', [10, 5]);
  if (!busy || !free) throw new Error('no fixture');
  const lock = await lockRows(one.url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [busy.runId]);
  const released = releaseHeld(one, [goingOn(busy), goingOn(free)], ANN);
  expect(await Promise.race([released.then(() => 'done'), lock.awaited().then(() => 'waits')])).toBe('done');
  await lock.release();
  expect([(await rowOf(busy)).state, (await rowOf(free)).state]).toEqual(['held', 'planned']);
});

it('what is dropped ends as missed, and says who has dropped it and why', async () => {
  const [run, another, stays] = await held('dropped', [10, 5, 3]);
  if (!run || !another || !stays) throw new Error('no fixture');
  await set(another, 'dispatch = 2');
  // The second was judged by somebody else since it was read.
  expect(await dropHeld(one, [asHeld(another), asHeld(run)], by('ann', 'too late'))).toBe(1);
  expect(await rowOf(run)).toMatchObject({ state: 'missed', reason: 'dropped by ann: too late' });
  expect(await actionsOn(run)).toEqual([{ action: 'recovery drop', who: 'ann' }]);
  for (const left of [another, stays]) {
    expect(await rowOf(left)).toMatchObject({ state: 'held' });
    expect(await actionsOn(left)).toEqual([]);
  }
  await dropHeld(one, [asHeld(stays)], ANN);
  expect(await rowOf(stays)).toMatchObject({ reason: 'dropped by ann' });
});
