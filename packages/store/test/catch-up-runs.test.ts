import { lockRows } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { type CaughtUpRun, catchUpRuns } from '../src/index.ts';
import { ago, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const DISPATCH = 3;
/** When the runs below go on, and when they were due: in whole minutes. */
const GOES_ON = ago(10 * MINUTE);
const WAS_DUE_AGO_MS = 30 * MINUTE;

/** Misfired runs of a task. */
async function misfired(name: string, count = 1): Promise<QueuedFixture[]> {
  const taskId = await makeTask(one, { name });
  const runs = await queueRuns(
    one,
    Array.from({ length: count }, (_, index) => ({ taskId, key: name, ageMs: WAS_DUE_AGO_MS - index * 1000 })),
  );
  await one.pool.query('UPDATE run SET dispatch = $2, misfire_at = due_at WHERE key = $1', [name, DISPATCH]);
  return runs;
}

async function misfiredOne(name: string): Promise<QueuedFixture> {
  const [run] = await misfired(name);
  if (!run) throw new Error('no fixture');
  return run;
}

function judged({ runId: id, scheduledFor }: QueuedFixture, more: Partial<CaughtUpRun> = {}): CaughtUpRun {
  return {
    id,
    scheduledFor,
    dispatch: DISPATCH,
    seen: 'queued',
    to: 'queued',
    dueAt: GOES_ON,
    holdsUntil: null,
    reason: 'why',
    inTurn: false,
    ...more,
  };
}

const set = (run: QueuedFixture, columns: string) =>
  one.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [run.runId]);

async function rowOf({ runId }: QueuedFixture) {
  const { rows } = await one.pool.query(
    'SELECT state, reason, origin, misfire_at, due_at, start_by, overlap, dispatch FROM run WHERE id = $1',
    [runId],
  );
  return rows[0];
}

const NOTHING = { queued: [], held: 0 };

it('a run goes on as a catch-up run, under the next dispatch number', async () => {
  const run = await misfiredOne('goes-on');
  expect(await catchUpRuns(one, [judged(run)])).toEqual({
    queued: [
      {
        id: run.runId,
        scheduledFor: run.scheduledFor,
        queue: 'default+shell',
        dueAt: GOES_ON,
        dispatch: DISPATCH + 1,
      },
    ],
    held: 0,
  });
  expect(await rowOf(run)).toEqual({
    state: 'queued',
    reason: 'why',
    origin: 'catch_up',
    misfire_at: null,
    due_at: GOES_ON,
    start_by: null,
    overlap: 'skip',
    dispatch: DISPATCH + 1,
  });
});

it('a run that goes on is refused by begin once its choice holds no longer', async () => {
  const run = await misfiredOne('holds');
  const holdsUntil = ago(-MINUTE);
  await catchUpRuns(one, [judged(run, { holdsUntil })]);
  expect(await rowOf(run)).toMatchObject({ state: 'queued', origin: 'catch_up', misfire_at: holdsUntil });
});

it('a run that stays open is queued anew for its next judgement, and is as it was otherwise', async () => {
  const run = await misfiredOne('open');
  const before = await rowOf(run);
  const { queued } = await catchUpRuns(one, [judged(run, { to: 'open', reason: null })]);
  expect(queued).toMatchObject([{ id: run.runId, dueAt: GOES_ON, dispatch: DISPATCH + 1 }]);
  expect(await rowOf(run)).toEqual({ ...before, due_at: GOES_ON, dispatch: DISPATCH + 1 });
});

it('a held run is judged again only as a held one', async () => {
  const run = await misfiredOne('held-again');
  await set(run, `state = 'held', reason = 'why'`);
  expect(await catchUpRuns(one, [judged(run)])).toEqual(NOTHING);
  expect(await catchUpRuns(one, [judged(run, { seen: 'held' })])).toMatchObject({ queued: [{ id: run.runId }] });
});

it('a run that is held keeps its dispatch number, and is none to be queued', async () => {
  const [run, another] = await misfired('held', 2);
  if (!run || !another) throw new Error('no fixture');
  const { queued, held } = await catchUpRuns(one, [judged(run, { to: 'held' }), judged(another, { reason: null })]);
  expect([queued.map(({ id }) => id), held]).toEqual([[another.runId], 1]);
  expect(await rowOf(run)).toMatchObject({ state: 'held', origin: 'catch_up', dispatch: DISPATCH, reason: 'why' });
  expect(await rowOf(another)).toMatchObject({ state: 'queued', dispatch: DISPATCH + 1, reason: null });
});

it.each([
  ['was queued anew', `dispatch = ${DISPATCH + 1}`],
  ['is planned', `state = 'planned'`],
  ['waits', `state = 'waiting', waiting_since = now()`],
  ['was held', `state = 'held'`],
  ['has begun', 'attempt = 1'],
  ['runs', `state = 'running', attempt = 1, worker = 'w', started_at = now(), fence = 1`],
  ['has ended', `state = 'missed', reason = 'why', finished_at = now()`],
])('a run that %s meanwhile is left alone', async (why, columns) => {
  const run = await misfiredOne(why.replaceAll(' ', '-'));
  await set(run, columns);
  const before = await rowOf(run);
  expect(await catchUpRuns(one, [judged(run)])).toEqual(NOTHING);
  expect(await rowOf(run)).toEqual(before);
});

it('a run of another namespace is left alone, and what was judged goes on once', async () => {
  const run = await misfiredOne('once');
  expect(await catchUpRuns({ ...one, namespace: 'other' }, [judged(run)])).toEqual(NOTHING);
  expect(await catchUpRuns(one, [judged(run)])).toMatchObject({ queued: [{ id: run.runId }] });
  expect(await catchUpRuns(one, [judged(run)])).toEqual(NOTHING);
  expect(await catchUpRuns(one, [])).toEqual(NOTHING);
});

it('does not wait for a row that somebody is beginning, and takes the others', async () => {
  const [busy, free] = await misfired('beginning', 2);
  if (!busy || !free) throw new Error('no fixture');
  const held = await lockRows(one.url, 'SELECT FROM run WHERE id = $1 FOR UPDATE', [busy.runId]);
  const caughtUp = catchUpRuns(one, [judged(busy), judged(free)]);
  expect(await Promise.race([caughtUp.then(() => 'done'), held.awaited().then(() => 'waits')])).toBe('done');
  await held.release();
  expect(await caughtUp).toMatchObject({ queued: [{ id: free.runId }] });
});

it.each([
  ['neither bound', null, undefined, null],
  ['its own bound alone, which moves along', 5, undefined, 5],
  ['the bound of the policy alone', null, 7, 7],
  ['its own bound, if that is over before', 5, 7, 5],
  ['the bound of the policy, if that is over before', 9, 7, 7],
])('a run keeps %s', async (why, ownMinutes, policyMinutes, boundMinutes) => {
  const run = await misfiredOne(why.replaceAll(/\W+/g, '-'));
  await set(run, `start_by = due_at + ${ownMinutes ?? 'NULL'} * interval '1 min'`);
  const after = (minutes: number) => new Date(GOES_ON.getTime() + minutes * MINUTE);
  const startBy = policyMinutes === undefined ? undefined : after(policyMinutes);
  await catchUpRuns(one, [judged(run, { startBy })]);
  expect((await rowOf(run)).start_by).toEqual(boundMinutes === null ? null : after(boundMinutes));
});

it.each([
  ['skip', true, 'wait-all'],
  ['skip', false, 'skip'],
  ['replace', true, 'wait-all'],
  ['allow', true, 'allow'],
  ['allow', false, 'allow'],
])('a run of the policy %s, in turn %s, has the policy %s', async (overlap, inTurn, expected) => {
  const run = await misfiredOne(`${overlap}-${inTurn}`);
  await set(run, `overlap = '${overlap}'`);
  await catchUpRuns(one, [judged(run, { inTurn })]);
  expect((await rowOf(run)).overlap).toBe(expected);
});
