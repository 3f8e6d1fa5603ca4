import type { TaskInput } from '@escapement/core';
import { by, lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { openDatabase, savePool, type WaitResult, waitRun } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns, stateOf } from './ledger.ts';

const { url } = await testDatabase();
const one = openDatabase({ url, applicationName: 'one' });
const other = openDatabase({ url, applicationName: 'other', namespace: 'other' });
afterAll(() => Promise.all([one.close(), other.close()]));

const RATE = { limit: 1, perMs: 60 * MINUTE };
const DB = { one, other };

interface Made extends Partial<TaskInput> {
  name: string;
  /** In minutes, of each run. */
  ages?: readonly number[];
  db?: keyof typeof DB;
}

/** Queued runs of a task. */
async function queued({ name, ages = [2], db = 'one', ...input }: Made): Promise<QueuedFixture[]> {
  const taskId = await makeTask(DB[db], { name, ...input });
  return await queueRuns(
    DB[db],
    ages.map((minutes) => ({ taskId, key: input.key ?? name, ageMs: minutes * MINUTE })),
  );
}

async function aRun(input: Made): Promise<QueuedFixture> {
  return must((await queued(input))[0]);
}

function must<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('no fixture');
  return value;
}

async function setRun(run: QueuedFixture, set: string): Promise<void> {
  await one.pool.query(`UPDATE run SET ${set} WHERE id = $1`, [run.runId]);
}

const AT_WORK = `state = 'running', attempt = 1, fence = 1, worker = 'w', started_at = now()`;
const IN_LINE = `state = 'waiting', waiting_since = now()`;

/** The run has a slot of its key, by default as one at work. */
async function holds(run: QueuedFixture, slot = 1, set = AT_WORK): Promise<void> {
  await setRun(run, `${set}, slot = ${slot}`);
  await one.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, fence, run_id, run_scheduled_for, worker, since)
     SELECT namespace, key, slot, 1, id, scheduled_for, worker, now() FROM run WHERE id = $1`,
    [run.runId],
  );
}

/** The run of a task of its own, at work on a slot of the key. */
async function holderOf(key: string, input: Partial<Made> = {}): Promise<QueuedFixture> {
  const run = await aRun({ name: `holder-of-${key}`, key, ages: [30], ...input });
  await holds(run);
  return run;
}

type Bounds = { maxWaiting?: number; maxWaitMs?: number; attempt?: number };

async function wait(run: QueuedFixture, { attempt = 0, ...bounds }: Bounds = {}): Promise<WaitResult> {
  return await waitRun(one, { ...run, ...bounds, seen: { state: 'queued', dispatch: run.dispatch, attempt } });
}

async function rowOf<Row>(run: QueuedFixture, columns: string): Promise<Row> {
  const { rows } = await one.pool.query(`SELECT ${columns} FROM run WHERE id = $1`, [run.runId]);
  return rows[0];
}

async function slotsOf(key: string) {
  const { rows } = await one.pool.query(
    `SELECT slot, run_id AS "runId", awaited, worker, since IS NOT NULL AS since FROM key_slot
     WHERE namespace = 'default' AND key = $1 ORDER BY slot`,
    [key],
  );
  return rows;
}

/** The token of a rate is taken for an hour. */
async function takeToken(rateKey: string): Promise<void> {
  await one.pool.query(
    `WITH bucket AS (INSERT INTO rate_bucket (namespace, rate_key, taken, most) VALUES ('default', $1, 1, 1))
     INSERT INTO rate_start (namespace, rate_key, number, started_at, run_id) VALUES ('default', $1, 1, now(), gen_random_uuid())`,
    [rateKey],
  );
}

it.each([
  ['is in another state', `state = 'retrying'`],
  ['was queued anew', 'dispatch = 2'],
  ['has had an attempt more', 'attempt = 1'],
  ['is to be cancelled', `cancel_requested_at = now(), cancel_requested_by = 'ann'`],
])('a run that %s meanwhile is stale, and stays as it is', async (why, set) => {
  const key = why.replaceAll(' ', '-');
  await holderOf(key);
  const run = await aRun({ name: key });
  await setRun(run, set);
  const before = await rowOf(run, 'state, waiting_since');
  expect(await wait(run)).toEqual({ kind: 'stale' });
  expect(await rowOf(run, 'state, waiting_since')).toEqual(before);
});

it('a run must be as it was seen, also where the job is the right one', async () => {
  await holderOf('as-seen');
  const run = await aRun({ name: 'as-seen' });
  const seen = { state: 'queued', dispatch: 2, attempt: 0 };
  expect(await waitRun(one, { ...run, seen })).toEqual({ kind: 'stale' });
  await setRun(run, `state = 'planned', attempt = 1`);
  const retry = { state: 'retrying', dispatch: 1, attempt: 1 };
  expect(await waitRun(one, { ...run, dispatch: 2, seen: retry })).toEqual({ kind: 'stale' });
});

it('a run of another key that was scheduled for the same instant has no part in it', async () => {
  const holder = await holderOf('instant');
  const run = await aRun({ name: 'instant' });
  await one.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool,
       due_at, dispatch)
     SELECT overlay(id::text placing end_of_id from 25)::uuid, scheduled_for, namespace, task_id, task_version, plan_epoch, 'trigger',
       state, 'twin', key_limit, 'wait-all', pool, due_at, dispatch
     FROM run, unnest(ARRAY['000000000000', 'ffffffffffff']) AS end_of_id WHERE id = $1`,
    [run.runId],
  );
  expect(await wait(run)).toEqual({ kind: 'waiting', holder: holder.runId });
  expect(await slotsOf('twin')).toEqual([]);
  const { rows: twins } = await one.pool.query(`SELECT state FROM run WHERE key = 'twin'`);
  expect(twins).toEqual([{ state: 'queued' }, { state: 'queued' }]);
});

it('a run waits for the job in hand alone', async () => {
  await holderOf('another-job');
  const run = await aRun({ name: 'another-job' });
  const seen = { state: 'queued', dispatch: 1, attempt: 0 };
  expect(await waitRun(one, { ...run, dispatch: 2, seen })).toEqual({ kind: 'stale' });
  expect(await wait(run)).toMatchObject({ kind: 'waiting' });
});

it('the smaller limit counts, its own or that of who holds the key, which the reason names', async () => {
  const holder = await holderOf('narrow', { limit: 1 });
  const wide = await aRun({ name: 'narrow', limit: 2 });
  expect(await wait(wide, { maxWaiting: 0 })).toEqual({
    kind: 'skipped',
    holder: holder.runId,
    reason: `the key "narrow" was held by run ${holder.runId}, whose task gives it a limit of 1`,
  });
  await holderOf('broad', { limit: 2 });
  expect(await wait(await aRun({ name: 'broad', limit: 2 }))).toEqual({ kind: 'free' });
  expect(await wait(await aRun({ name: 'broad-1', key: 'broad', limit: 1 }))).toMatchObject({ kind: 'waiting' });
});

it('the reason says how many waited already, and of one alone which, but not a limit that all agree in', async () => {
  const holder = await holderOf('many');
  const [first, second, third, fourth] = (await queued({ name: 'many', ages: [9, 8, 7, 6] })).map(must);
  expect(await wait(must(second), { maxWaiting: 1 })).toEqual({ kind: 'waiting', holder: holder.runId });
  const held = `the key "many" was held by run ${holder.runId}`;
  expect(await wait(must(third), { maxWaiting: 1 })).toMatchObject({
    reason: `${held}, and run ${second?.runId} waited for it already`,
  });
  expect(await wait(must(first), { maxWaiting: 2 })).toMatchObject({ kind: 'waiting' });
  expect(await wait(must(fourth), { maxWaiting: 2 })).toMatchObject({
    kind: 'skipped',
    reason: `${held}, and 2 runs waited for it already`,
  });
  expect(await rowOf(must(fourth), 'state, blocked_by')).toEqual({ state: 'skipped', blocked_by: holder.runId });
});

it('those that wait are counted by key and namespace', async () => {
  await holderOf('counted');
  const beside = [await aRun({ name: 'counted', db: 'other' }), await aRun({ name: 'counted-not' })];
  for (const run of beside) await setRun(run, IN_LINE);
  await aRun({ name: 'only-queued', key: 'counted' });
  expect(await wait(await aRun({ name: 'counted' }), { maxWaiting: 1 })).toMatchObject({ kind: 'waiting' });
});

it('a run that had begun, or had waited before, is not judged again', async () => {
  const holder = await holderOf('judged');
  const [retry, again, fresh] = (await queued({ name: 'judged', ages: [9, 8, 7] })).map(must);
  await setRun(must(retry), `attempt = 1, wait_until = now() + interval '1 h'`);
  const waited = await aRun({ name: 'waited-and-began', key: 'judged' });
  await setRun(waited, `attempt = 1, waiting_since = '2026-01-01'`);
  await setRun(must(again), `waiting_since = '2026-01-01', wait_until = '2126-01-01'`);
  const bounds = { maxWaiting: 0, maxWaitMs: MINUTE };
  const waiting = { kind: 'waiting', holder: holder.runId };
  expect(await wait(must(retry), { ...bounds, attempt: 1 })).toEqual(waiting);
  expect(await wait(waited, { ...bounds, attempt: 1 })).toEqual(waiting);
  expect(await wait(must(again), bounds)).toEqual(waiting);
  expect(await wait(must(fresh), bounds)).toMatchObject({ kind: 'skipped' });
  const since = `waiting_since > now() - interval '1 h' AS "sinceNow", wait_until AS until`;
  for (const run of [must(retry), waited]) expect(await rowOf(run, since)).toEqual({ sinceNow: true, until: null });
  expect(await rowOf(must(again), since)).toEqual({ sinceNow: false, until: new Date('2126-01-01') });
});

it('a run that waits gives back its slot, and is bounded by what it is ready to wait', async () => {
  const run = await aRun({ name: 'gives-back' });
  const holder = await aRun({ name: 'keeps', key: 'gives-back', limit: 2 });
  await holds(run, 1, `state = 'queued', worker = 'v'`);
  await holds(holder, 2);
  expect(await wait(run, { maxWaiting: 1, maxWaitMs: MINUTE })).toEqual({ kind: 'waiting', holder: holder.runId });
  expect(await slotsOf('gives-back')).toEqual([
    { slot: 1, runId: null, awaited: true, worker: null, since: false },
    { slot: 2, runId: holder.runId, awaited: true, worker: 'w', since: true },
  ]);
  expect(
    await rowOf(run, 'state, slot, blocked_by AS "by", wait_until - waiting_since = interval \'1 min\' AS bounded'),
  ).toEqual({ state: 'waiting', slot: null, by: holder.runId, bounded: true });
  const unbounded = await aRun({ name: 'unbounded', key: 'gives-back' });
  await wait(unbounded);
  expect(await rowOf(unbounded, 'wait_until')).toEqual({ wait_until: null });
});

it('slots that say already that somebody waits are not written, nor those of other keys and namespaces', async () => {
  for (const key of ['awaited', 'awaited-not']) await holderOf(key);
  await holderOf('awaited', { db: 'other' });
  await one.pool.query(`UPDATE key_slot SET awaited = true WHERE namespace = 'default' AND key = 'awaited'`);
  const written = async () => {
    const { rows } = await one.pool.query(`SELECT ctid, awaited FROM key_slot WHERE key LIKE 'awaited%' ORDER BY 1`);
    return rows;
  };
  const before = await written();
  await wait(await aRun({ name: 'awaited' }));
  expect(await written()).toEqual(before);
});

it('a key without a slot gets one where the order counts, there alone', async () => {
  await holderOf('beside');
  for (const [overlap, slots] of [
    ['wait-all', 1],
    ['wait-one', 0],
  ] as const) {
    expect(await wait(await aRun({ name: `slotless-${overlap}`, overlap }))).toEqual({ kind: 'free' });
    expect(await slotsOf(`slotless-${overlap}`)).toHaveLength(slots);
  }
});

it('under allow a run is free, whoever holds the key', async () => {
  await holderOf('beside-all');
  expect(await wait(await aRun({ name: 'beside-all', overlap: 'allow' }))).toEqual({ kind: 'free' });
});

it('who waits in turn waits for the one before it, whatever the rate; a retry waits for nobody before it', async () => {
  const [early, late, retry] = (await queued({ name: 'turns', overlap: 'wait-all', ages: [9, 8, 7], rate: RATE })).map(
    must,
  );
  await takeToken('turns');
  expect(await wait(must(late))).toEqual({ kind: 'waiting', holder: early?.runId });
  await setRun(must(retry), 'attempt = 1');
  expect(await wait(must(retry), { attempt: 1 })).toMatchObject({
    kind: 'waiting',
    holder: null,
    reason: expect.stringContaining('under "turns"'),
  });
});

it.each(['skip', 'allow'] as const)('over its rate a run under %s waits without bounds', async (overlap) => {
  const name = `over-${overlap}`;
  const run = await aRun({ name, overlap, rate: RATE });
  await takeToken(name);
  await one.pool.query(`INSERT INTO key_slot (namespace, key, slot) VALUES ('default', $1, 1)`, [name]);
  expect(await wait(run, { maxWaiting: 0, maxWaitMs: MINUTE })).toMatchObject({ kind: 'waiting', holder: null });
  expect(await rowOf(run, 'wait_until, blocked_by')).toEqual({ wait_until: null, blocked_by: null });
  // Under allow nobody waits for a slot.
  expect(await slotsOf(name)).toMatchObject([{ awaited: overlap === 'skip' }]);
});

it('where the key is busy it counts alone, whatever the rate', async () => {
  const holder = await holderOf('busy-and-over');
  await takeToken('busy-and-over');
  const input = { key: 'busy-and-over', rate: { ...RATE, key: 'busy-and-over' } };
  expect(await wait(await aRun({ ...input, name: 'over-skip-1' }), { maxWaiting: 0 })).toEqual({
    kind: 'skipped',
    holder: holder.runId,
    reason: `the key "busy-and-over" was held by run ${holder.runId}`,
  });
  const patient = await aRun({ ...input, name: 'over-wait', overlap: 'wait-one' });
  expect(await wait(patient)).toEqual({ kind: 'waiting', holder: holder.runId });
});

it('over its rate a run under wait-one keeps its bounds; the reason names the rate and no limit of the key', async () => {
  await holderOf('bounded', { limit: 2 });
  const [first, second] = (
    await queued({ name: 'bounded', overlap: 'wait-one', limit: 3, rate: RATE, ages: [9, 8] })
  ).map(must);
  await takeToken('bounded');
  expect(await wait(must(first), { maxWaiting: 1, maxWaitMs: MINUTE })).toMatchObject({ kind: 'waiting' });
  expect(await rowOf(must(first), 'wait_until IS NOT NULL AS bounded')).toEqual({ bounded: true });
  expect(await wait(must(second), { maxWaiting: 1 })).toEqual({
    kind: 'skipped',
    holder: null,
    reason: `over the rate under "bounded", and run ${first?.runId} waited for it already`,
  });
});

it('over the rate of its pool a run is skipped with the name of the pool', async () => {
  await savePool(one, 'slow', { rate: RATE }, by('ann'));
  await takeToken('@pool:slow');
  const run = await aRun({ name: 'in-pool', overlap: 'wait-one', pool: 'slow' });
  expect(await wait(run, { maxWaiting: 0 })).toMatchObject({ reason: 'over the rate of the pool "slow"' });
});

it('what is caught up is counted apart, and one of either kind waits whatever the bound', async () => {
  const holder = await holderOf('apart');
  const caught = (await queued({ name: 'apart', ages: [9, 8, 7, 6] })).map(must);
  for (const run of caught) await setRun(run, `origin = 'catch_up'`);
  const inTime = await aRun({ name: 'in-time', key: 'apart' });
  await setRun(inTime, IN_LINE);
  const kinds = [];
  for (const [place, maxWaiting] of [0, 0, 2, undefined].entries())
    kinds.push((await wait(must(caught[place]), { ...(maxWaiting === undefined ? {} : { maxWaiting }) })).kind);
  expect(kinds).toEqual(['waiting', 'skipped', 'waiting', 'waiting']);
  expect(await rowOf(must(caught[0]), 'blocked_by')).toEqual({ blocked_by: holder.runId });
});

it.each([
  { run: 'schedule', holder: 'catch_up', waits: true },
  { run: 'trigger', holder: 'catch_up', waits: false },
  { run: 'schedule', holder: 'schedule', waits: false },
])('of origin $run behind $holder of its task, that it waits in spite of the bound is $waits', async (origins) => {
  const name = `${origins.run}-behind-${origins.holder}`;
  const [holder, ended, run] = (await queued({ name, ages: [9, 8, 7] })).map(must);
  await setRun(must(ended), `origin = 'catch_up', state = 'succeeded', finished_at = now()`);
  await setRun(must(holder), `origin = '${origins.holder}'`);
  await holds(must(holder));
  await setRun(must(run), `origin = '${origins.run}'`);
  expect((await wait(must(run), { maxWaiting: 0 })).kind).toBe(origins.waits ? 'waiting' : 'skipped');
});

it('a run of another task that is caught up makes nobody wait', async () => {
  const holder = await holderOf('of-another');
  await setRun(holder, `origin = 'catch_up'`);
  expect(await wait(await aRun({ name: 'of-another' }), { maxWaiting: 0 })).toMatchObject({ kind: 'skipped' });
});

it('under replace the newest goes first, and says so whatever the bound; a retry replaces nobody', async () => {
  const [holder, older, newest] = (await queued({ name: 'newest', overlap: 'replace', ages: [9, 8, 7] })).map(must);
  await holds(must(holder));
  expect(await wait(must(older), { maxWaiting: 0 })).toEqual({
    kind: 'skipped',
    holder: newest?.runId,
    reason: `replaced by run ${newest?.runId} before it started`,
  });
  await setRun(must(newest), 'attempt = 1');
  expect(await wait(must(newest), { attempt: 1 })).toMatchObject({ kind: 'waiting', holder: holder?.runId });
  const asked = 'cancel_requested_at IS NOT NULL AS asked';
  expect(await rowOf(must(holder), asked)).toEqual({ asked: false });
  const last = await aRun({ name: 'last', key: 'newest', overlap: 'replace', ages: [1] });
  expect(await wait(last)).toMatchObject({ kind: 'waiting' });
  expect(await rowOf(must(holder), asked)).toEqual({ asked: true });
});

it('a run that replaces counts neither its own slot nor one whose reservation is over', async () => {
  const own = await aRun({ name: 'own', overlap: 'replace' });
  const holder = await aRun({ name: 'own-holder', key: 'own', limit: 3 });
  const late = await aRun({ name: 'own-late', key: 'own', limit: 3, overlap: 'wait-all' });
  await holds(own, 1, `state = 'queued'`);
  await holds(holder, 2);
  await holds(late, 3, `state = 'queued'`);
  await one.pool.query(`UPDATE key_slot SET since = now() - interval '6 s' WHERE run_id = $1`, [late.runId]);
  expect(await wait(own)).toEqual({ kind: 'waiting', holder: holder.runId });
});

it('a run that replaces waits for who has the holder locked, and sees what has become of it', async () => {
  const holder = await holderOf('seen');
  const run = await aRun({ name: 'seen', overlap: 'replace' });
  const retried = await lockRows(url, `UPDATE run SET state = 'retrying' WHERE id = $1`, [holder.runId]);
  const answer = wait(run);
  await retried.awaited();
  await retried.commit();
  expect(await answer).toEqual({ kind: 'free' });
  expect(await stateOf(one, holder.runId)).toBe('cancelled');
});

it('slots are waited for: who gives one back meanwhile lets the run begin', async () => {
  const holder = await holderOf('given-back');
  const run = await aRun({ name: 'given-back' });
  const given = await lockRows(
    url,
    `UPDATE key_slot SET run_id = NULL, run_scheduled_for = NULL, worker = NULL, since = NULL WHERE run_id = $1`,
    [holder.runId],
  );
  const answer = wait(run);
  await given.awaited();
  await given.commit();
  expect(await answer).toEqual({ kind: 'free' });
});

it('a run that replaces is judged anew where another one has taken the slot meanwhile', async () => {
  const taker = await aRun({ name: 'taken', ages: [9] });
  const run = await aRun({ name: 'takes', key: 'taken', overlap: 'replace' });
  await setRun(taker, AT_WORK);
  await one.pool.query(`INSERT INTO key_slot (namespace, key, slot) VALUES ('default', 'taken', 1)`);
  const taken = await lockRows(
    url,
    `UPDATE key_slot SET run_id = $1, run_scheduled_for = $2, worker = 'w', since = now() WHERE key = 'taken'`,
    [taker.runId, taker.scheduledFor],
  );
  const answer = wait(run);
  await taken.awaited();
  await taken.commit();
  expect(await answer).toEqual({ kind: 'free' });
  expect(await wait(run)).toEqual({ kind: 'waiting', holder: taker.runId });
});

it('a run that replaces waits for locks of neither other keys and namespaces, nor of those it does not replace', async () => {
  const holder = await holderOf('mine');
  const beside = [
    await holderOf('mine', { db: 'other' }),
    await holderOf('mine-not'),
    await aRun({ name: 'mine', db: 'other', overlap: 'replace' }),
    await aRun({ name: 'mine-not', overlap: 'replace' }),
    await aRun({ name: 'mine-patient', key: 'mine' }),
  ];
  for (const run of beside.slice(2)) await setRun(run, IN_LINE);
  beside.push(await aRun({ name: 'mine-early', key: 'mine', overlap: 'replace', ages: [59] }));
  const run = await aRun({ name: 'mine', overlap: 'replace' });
  const ids = [beside.map(({ runId }) => runId)];
  const runs = await lockRows(url, 'SELECT FROM run WHERE id = ANY ($1) FOR UPDATE', ids);
  const slots = await lockRows(url, 'SELECT FROM key_slot WHERE run_id = ANY ($1) FOR UPDATE', ids);
  expect(await wait(run)).toEqual({ kind: 'waiting', holder: holder.runId });
  await Promise.all([runs.release(), slots.release()]);
});

it('a run that does not replace waits for no lock of the holder, nor of those that wait to replace it', async () => {
  const holder = await holderOf('patient');
  const replacing = await aRun({ name: 'patient-replacing', key: 'patient', overlap: 'replace' });
  await setRun(replacing, IN_LINE);
  const run = await aRun({ name: 'patient', overlap: 'wait-one' });
  const held = await lockRows(url, 'SELECT FROM run WHERE id = ANY ($1) FOR UPDATE', [[holder.runId, replacing.runId]]);
  expect(await wait(run)).toEqual({ kind: 'waiting', holder: holder.runId });
  await held.release();
});
