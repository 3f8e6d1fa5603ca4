import type { TaskInput } from '@escapement/core';
import { by } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { findLateStarts, finishLateStarts, type LateStart, writeHeartbeat } from '../src/index.ts';
import { begun, deleteNow, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses, WORKER } from './ledger.ts';

const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const DEADLINE_MS = 10 * MINUTE;
const LATE_MS = 30 * MINUTE;
const LOOK = { limit: 100, deadMs: MINUTE };
beforeEach(async () => {
  for (const table of ['key_slot', 'process', 'pool', 'run']) await one.pool.query(`DELETE FROM ${table}`);
});

async function runOf(name: string, input: Partial<TaskInput> & { ageMs?: number; runKey?: string } = {}) {
  const { ageMs = LATE_MS, runKey = name, ...rest } = input;
  const taskId = await makeTask(one, { name, startDeadlineMs: DEADLINE_MS, ...rest });
  const [run] = await queueRuns(one, [{ taskId, key: runKey, ageMs }]);
  if (!run) throw new Error('no fixture');
  return run;
}

const set = (run: QueuedFixture, columns: string) =>
  one.pool.query(`UPDATE run SET ${columns} WHERE id = $1`, [run.runId]);

const found = async () => (await findLateStarts(one, LOOK)).map(({ id }) => id);

async function seen(run: QueuedFixture): Promise<LateStart> {
  const late = (await findLateStarts(one, LOOK)).find(({ id }) => id === run.runId);
  if (!late) throw new Error('not found');
  return late;
}

async function endOf(run: QueuedFixture) {
  const { rows } = await one.pool.query('SELECT state, reason, blocked_by FROM run WHERE id = $1', [run.runId]);
  return rows[0];
}

/** A run that is at work and has the first slot of a key. */
async function holderOf(key: string): Promise<QueuedFixture> {
  const run = await runOf(`holder-of-${key}`, { runKey: key, ageMs: MINUTE });
  await begun(one, [run]);
  return run;
}

it('tells all that is known of a run that has not started in time, in its own namespace', async () => {
  const run = await runOf('all');
  const [late] = await findLateStarts(one, LOOK);
  expect(late).toEqual({
    id: run.runId,
    scheduled_for: run.scheduledFor,
    state: 'queued',
    dispatch: 1,
    attempt: 0,
    deadline_ms: DEADLINE_MS,
    late_ms: expect.any(Number),
    key: 'all',
    pool: 'default',
    pool_pause_note: null,
    holder: null,
    over_rate: null,
    served: false,
    need: 'shell',
    worker_away: null,
  });
  expect(late?.late_ms).toBeGreaterThanOrEqual(LATE_MS);
  expect(late?.late_ms).toBeLessThan(LATE_MS + 5 * MINUTE);
  expect(Number.isInteger(late?.late_ms)).toBe(true);
  expect(await findLateStarts({ ...one, namespace: 'other' }, LOOK)).toEqual([]);
});

it.each([
  ['waits for its repeat', `state = 'planned', dispatch = 0`],
  ['is planned by a trigger', `state = 'planned', origin = 'trigger'`],
  ['waits for its key', `state = 'waiting', waiting_since = now()`],
])('finds a run that %s', async (why, columns) => {
  const run = await runOf(why.replaceAll(' ', '-'));
  await set(run, columns);
  expect(await found()).toEqual([run.runId]);
});

it.each([
  ['has no start deadline', 'start_by = NULL'],
  ['has time left', `start_by = now() + interval '1 h'`],
  ['has begun and is to be tried again', `state = 'retrying', attempt = 1`],
  ['is queued for a second attempt', 'attempt = 1'],
  ['runs', `state = 'running', attempt = 1, worker = 'w', started_at = now(), fence = 1`],
  ['is held for a person', `state = 'held'`],
  ['has ended', `state = 'missed', reason = 'why', finished_at = now()`],
])('finds no run that %s', async (why, columns) => {
  await set(await runOf(why.replaceAll(' ', '-')), columns);
  expect(await found()).toEqual([]);
});

it('takes those first whose deadline was over first', async () => {
  const [a, b, c] = [await runOf('a'), await runOf('b'), await runOf('c')];
  await set(c, `start_by = now() - interval '9 min'`);
  await set(a, `start_by = now() - interval '8 min'`);
  await set(b, `start_by = now() - interval '10 min'`);
  expect(await found()).toEqual([b.runId, c.runId, a.runId]);
  expect((await findLateStarts(one, { ...LOOK, limit: 2 })).map(({ id }) => id)).toEqual([b.runId, c.runId]);
});

it('names the run that holds its key, if the run takes a slot at all', async () => {
  const holder = await holderOf('shared');
  const run = await runOf('late', { runKey: 'shared' });
  expect((await seen(run)).holder).toBe(holder.runId);
  await set(run, `overlap = 'allow'`);
  expect((await seen(run)).holder).toBeNull();
  await set(run, `overlap = 'skip', key = 'another'`);
  expect((await seen(run)).holder).toBeNull();
  await set(run, `key = 'shared'`);
  await finishLateStarts(one, [await seen(run)]);
  expect(await endOf(run)).toMatchObject({ state: 'missed', blocked_by: holder.runId });
});

it.each([
  [1, 1, true],
  [1, 2, true],
  [2, 1, true],
  [2, 2, false],
])('with a limit of %i where the holder has one of %i: the key is held is %s', async (own, others, isHeld) => {
  const key = `limit-${own}-${others}`;
  const holder = await holderOf(key);
  await set(holder, `key_limit = ${others}`);
  const run = await runOf(`late-${key}`, { runKey: key });
  await set(run, `key_limit = ${own}`);
  expect((await seen(run)).holder).toBe(isHeld ? holder.runId : null);
});

it('a slot that is kept for the run itself is not in its way', async () => {
  const run = await runOf('reserved');
  await one.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, run_id, run_scheduled_for, since) VALUES ($1, 'reserved', 1, $2, $3, now())`,
    [one.namespace, run.runId, run.scheduledFor],
  );
  expect((await seen(run)).holder).toBeNull();
});

const OVER_RATE = 'over the rate of 5 in 1 min';
const WAITS = `state = 'waiting', waiting_since = now(), reason = '${OVER_RATE}'`;

it.each([
  ['waits for its rate', WAITS, OVER_RATE],
  ['waits for another run', `${WAITS}, blocked_by = id`, null],
  ['waits for something else', `${WAITS.replace(OVER_RATE, 'not over the rate of 5')}`, null],
  ['does not wait any more', `reason = '${OVER_RATE}'`, null],
])('only what waits for its rate is told as over it: a run that %s', async (why, columns, told) => {
  const run = await runOf(why.replaceAll(' ', '-'));
  await set(run, columns);
  expect((await seen(run)).over_rate).toBe(told);
  expect(await finishLateStarts(one, [await seen(run)])).toBe(1);
  expect((await endOf(run)).reason.endsWith(`: it was ${OVER_RATE}`)).toBe(told !== null);
});

it.each([
  ['is paused', `now() - interval '1 h'`, 'NULL', 'stop'],
  ['is paused for a while', `now() - interval '1 h'`, `now() + interval '1 h'`, 'stop'],
  ['was paused', `now() - interval '2 h'`, `now() - interval '1 h'`, null],
  ['will be paused', `now() + interval '1 h'`, 'NULL', null],
])('tells why the pool %s, if it is', async (why, from, until, note) => {
  const run = await runOf(why.replaceAll(' ', '-'));
  await one.pool.query(
    `INSERT INTO pool (namespace, name, paused_from, paused_until, pause_note, paused_by)
     SELECT namespace, name, ${from}, ${until}, note, 'ann'
     FROM (VALUES ($1, 'default', 'stop'), ($1, 'other', 'not this'), ('other', 'default', 'nor this')) AS p(namespace, name, note)`,
    [one.namespace],
  );
  expect((await seen(run)).pool_pause_note).toBe(note);
  expect(await finishLateStarts(one, [await seen(run)])).toBe(1);
  expect((await endOf(run)).reason.endsWith(': the pool "default" is paused: stop')).toBe(note !== null);
});

it.each([
  ['is there', 'id = id', true],
  ['is dead', `heartbeat_at = now() - interval '1 h'`, false],
  ['has shut down', 'stopped_at = now()', false],
  ['serves another pool', `pools = '{other}'`, false],
  ['may not use the shell', `offers = '{}'`, false],
  ['is a scheduler', `role = 'scheduler'`, false],
  ['is of another namespace', `namespace = 'other'`, false],
])('a run is served by a living worker that can take it alone: its worker %s', async (why, columns, served) => {
  const run = await runOf(`worker-${why.replaceAll(' ', '-')}`);
  await writeHeartbeat(one, WORKER, { activeRuns: [], clockOffsetMs: 0 });
  await one.pool.query(`UPDATE process SET ${columns}`);
  expect((await seen(run)).served).toBe(served);
});

it('tells since when the worker of a run has been away', async () => {
  const run = await runOf('of-worker');
  await set(run, `need = 'shell@web-1'`);
  expect((await seen(run)).worker_away).toEqual({ heardAt: null });
  await finishLateStarts(one, [await seen(run)]);
  expect((await endOf(run)).reason).toMatch(/: worker web-1 was away$/);
});

it('ends as missed what had nothing in its way but its deadline', async () => {
  const run = await runOf('missed');
  await writeHeartbeat(one, WORKER, { activeRuns: [], clockOffsetMs: 0 });
  expect(await finishLateStarts(one, [await seen(run)])).toBe(1);
  expect(await endOf(run)).toEqual({
    state: 'missed',
    reason: expect.stringMatching(/^not started within 10 min of its due time \(now 3\d min late\)$/),
    blocked_by: null,
  });
});

it.each([
  ['queued', 1],
  ['planned', 0],
])('ends what is %s, and of a task that was deleted, as cancelled', async (state, dispatch) => {
  const run = await runOf(`deleted-${state}`);
  await set(run, `state = '${state}', dispatch = ${dispatch}`);
  const late = await seen(run);
  await one.pool.query(`UPDATE task SET deleted_at = now() WHERE name = $1`, [`deleted-${state}`]);
  expect(await finishLateStarts(one, [late])).toBe(1);
  expect(await endOf(run)).toMatchObject({ state: 'cancelled' });
});

it('ends what waits as missed, though its task was deleted', async () => {
  const run = await runOf('deleted-waiting');
  await set(run, `state = 'waiting', waiting_since = now()`);
  const late = await seen(run);
  await deleteNow(one, 'deleted-waiting', by('ann'));
  await finishLateStarts(one, [late]);
  expect(await endOf(run)).toMatchObject({ state: 'missed' });
});

it('ends each of several by what is true of it', async () => {
  const names = ['each-missed', 'each-deleted', 'each-late'];
  const runs = [await runOf('each-missed'), await runOf('each-deleted'), await runOf('each-late')];
  await one.pool.query('UPDATE task SET deleted_at = now() WHERE name = $1', [names[1]]);
  expect(await finishLateStarts(one, await findLateStarts(one, LOOK))).toBe(3);
  expect(await Promise.all(runs.map(async (run) => (await endOf(run)).state))).toEqual([
    'missed',
    'cancelled',
    'missed',
  ]);
});

it('leaves alone what is not as it was found', async () => {
  const run = await runOf('changed');
  const late = await seen(run);
  await set(run, 'dispatch = 2');
  expect(await finishLateStarts(one, [late])).toBe(0);
  expect(await endOf(run)).toMatchObject({ state: 'queued' });
});
