import type { TaskInput } from '@escapement/core';
import { by } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import {
  type BegunRun,
  beginRuns,
  type Database,
  finishAndWake,
  LEDGER_REPAIRS,
  lookUpRuns,
  type PoolRate,
  ratesOfKey,
  rateTurn,
  readPools,
  savePool,
  type WokenRun,
  waitRun,
  wakeRated,
} from '../src/index.ts';
import {
  beginRequest,
  finishRequest,
  makeTask,
  type QueuedFixture,
  queueRuns,
  stateOf,
  twoProcesses,
} from './ledger.ts';

const processes = await twoProcesses();
const { one, two } = processes;
afterAll(() => processes.close());

const HOUR = 3_600_000;

function must<Value>(value: Value | undefined | null): Value {
  if (value === undefined || value === null) throw new Error('no fixture');
  return value;
}

const setRate = (pool: string, rate: PoolRate | null) => savePool(one, pool, { rate }, by('a person'));

/** Due runs of a task in a pool, the oldest first. `agesMs`: how long each has been due. */
async function runsIn(pool: string, name: string, agesMs: readonly number[], input: Partial<TaskInput> = {}) {
  const taskId = await makeTask(one, { name, pool, overlap: 'allow', ...input });
  return await queueRuns(
    one,
    agesMs.map((ageMs) => ({ taskId, key: name, ageMs })),
  );
}

const descending = (count: number) => Array.from({ length: count }, (_, index) => (count - index) * 1000);

/** As a worker does it: what a rate forbids waits. */
async function begin(run: QueuedFixture, slot: number | null = null, db: Database = one) {
  const [sketch] = await lookUpRuns(db, [run]);
  return must((await beginRuns(db, [{ ...beginRequest(run), slot, rated: must(sketch).rated }]))[0]);
}

async function begun(run: QueuedFixture, slot: number | null = null): Promise<BegunRun> {
  const result = await begin(run, slot);
  if (result.kind !== 'begun') throw new Error(`not begun: ${result.kind}`);
  return result.run;
}

function wait(run: QueuedFixture) {
  return waitRun(one, { ...run, seen: { state: 'queued', dispatch: run.dispatch, attempt: 0 } });
}

const beginWoken = (run: WokenRun) => begin({ ...run, runId: run.id }, run.slot);

/** So long ago were all starts under this key. */
async function pass(rateKey: string, ms: number): Promise<void> {
  await one.pool.query(`UPDATE rate_start SET started_at = started_at - $2 * interval '1 ms' WHERE rate_key = $1`, [
    rateKey,
    ms,
  ]);
}

async function startsUnder(rateKey: string): Promise<number> {
  const { rows } = await one.pool.query('SELECT count(*)::integer AS n FROM rate_start WHERE rate_key = $1', [rateKey]);
  return rows[0].n;
}

const ids = (runs: readonly { id: string }[]) => runs.map(({ id }) => id);

it('lets begin as many of a pool as its rate says, of all its tasks together, and of other pools any number', async () => {
  await setRate('narrow', { limit: 2, perMs: HOUR });
  const [a, b] = await runsIn('narrow', 'narrow-1', descending(2));
  const [c] = await runsIn('narrow', 'narrow-2', [500]);
  const others = await runsIn('wide', 'wide-1', descending(3));
  await begun(must(a));
  await begun(must(c));
  expect(await begin(must(b))).toEqual({ kind: 'busy', holder: null, anySlot: true });
  for (const run of others) await begun(run);
  expect(await lookUpRuns(one, [must(b), must(others[0])])).toMatchObject([
    { rated: true, behind: true },
    { rated: false, behind: false },
  ]);
});

it('says which rate a run waits for, and when the next may start', async () => {
  await setRate('worded', { limit: 1, perMs: HOUR });
  const [a, b] = await runsIn('worded', 'worded', descending(2));
  const { startedAt } = await begun(must(a));
  const nextAt = new Date(startedAt.getTime() + HOUR);
  const reason = `over the rate of 1 in 3600 s of the pool "worded": may start at ${nextAt.toISOString()}`;
  expect(await wait(must(b))).toMatchObject({ kind: 'waiting', holder: null, reason });
  const rate = { pool: 'worded', limit: 1, perMs: HOUR, started: 1, waiting: 1, nextAt };
  expect(await rateTurn(one, must(b).runId)).toMatchObject({ ...rate, turnAt: nextAt, ahead: 0 });
  expect(await ratesOfKey(one, 'worded')).toMatchObject([rate]);
  expect(await readPools(one, { deadMs: HOUR, name: 'worded' })).toMatchObject([{ rate }]);
  expect(await readPools(one, { deadMs: HOUR, name: 'wide' })).toMatchObject([{ rate: null }]);
});

it('takes a token of the task and one of the pool, or none', async () => {
  await setRate('both', { limit: 3, perMs: HOUR });
  const [a, b] = await runsIn('both', 'slow', descending(2), { rate: { limit: 1, perMs: HOUR } });
  await begun(must(a));
  expect((await begin(must(b))).kind).toBe('busy');
  expect([await startsUnder('slow'), await startsUnder('@pool:both')]).toEqual([1, 1]);
  const fast = await runsIn('both', 'fast', descending(3), { rate: { limit: 10, perMs: HOUR } });
  await begun(must(fast[0]));
  await begun(must(fast[1]));
  expect((await begin(must(fast[2]))).kind).toBe('busy');
  expect([await startsUnder('fast'), await startsUnder('@pool:both')]).toEqual([2, 3]);
});

it('makes a run wait for the rate that lets it start last, and for the other one after that', async () => {
  await setRate('turns', { limit: 1, perMs: HOUR });
  const [a, b] = await runsIn('turns', 'turns', descending(2), { rate: { limit: 1, perMs: 2 * HOUR } });
  await begun(must(a));
  expect(await wait(must(b))).toMatchObject({ reason: expect.stringContaining('under "turns"') });
  // The task's token is back; meanwhile another task has taken that of the pool.
  await pass('turns', 2 * HOUR);
  await pass('@pool:turns', HOUR);
  const [c] = await runsIn('turns', 'turns-other', [60_000]);
  await begun(must(c));
  expect((await wakeRated(one)).woken).toEqual([]);
  expect(await rateTurn(one, must(b).runId)).toMatchObject({ pool: 'turns' });
  await pass('@pool:turns', HOUR);
  const { woken } = await wakeRated(one);
  expect(ids(woken)).toEqual([must(b).runId]);
  expect((await beginWoken(must(woken[0]))).kind).toBe('begun');
  const { rows } = await one.pool.query('SELECT rate_key FROM rate_wait WHERE run_id = $1', [must(b).runId]);
  expect(rows).toEqual([]);
});

it('wakes the runs of a pool in the order of due times, whatever their task, and lets no new one pass', async () => {
  await setRate('order', { limit: 2, perMs: HOUR });
  const first = await runsIn('order', 'order-1', [9000, 8000, 6000, 4000]);
  const second = await runsIn('order', 'order-2', [7000, 5000, 1000]);
  for (const run of first.slice(0, 2)) await begun(run);
  for (const run of [...first.slice(2), ...second.slice(0, 2)].toReversed()) await wait(run);
  await pass('@pool:order', HOUR);
  expect((await begin(must(second[2]))).kind).toBe('busy');
  const { woken } = await wakeRated(one);
  expect(ids(woken)).toEqual([must(second[0]).runId, must(first[2]).runId]);
  expect((await wakeRated(two)).woken).toEqual([]);
  expect((await begin(must(second[2]))).kind).toBe('busy');
  for (const run of woken) expect((await beginWoken(run)).kind).toBe('begun');
  await pass('@pool:order', HOUR);
  expect(ids((await wakeRated(one)).woken)).toEqual([must(second[1]).runId, must(first[3]).runId]);
});

it('does not hold up the pool behind a run whose task has no token', async () => {
  await setRate('beside', { limit: 1, perMs: HOUR });
  const [a, b] = await runsIn('beside', 'beside-slow', [9000, 8000], { rate: { limit: 1, perMs: 24 * HOUR } });
  const [c] = await runsIn('beside', 'beside-free', [7000]);
  await begun(must(a));
  // It got into the line of the pool, as it does where the task's token is taken while it waits.
  await wait(must(b));
  await one.pool.query(`UPDATE rate_wait SET rate_key = '@pool:beside' WHERE run_id = $1`, [must(b).runId]);
  await wait(must(c));
  await pass('@pool:beside', HOUR);
  expect(ids((await wakeRated(one)).woken)).toEqual([must(c).runId]);
  expect(await rateTurn(one, must(b).runId)).toMatchObject({ pool: null, rateKey: 'beside-slow' });
});

it('wakes a run whose key gets free only with a token of its pool', async () => {
  await setRate('keyed', { limit: 1, perMs: HOUR });
  const [a, b] = await runsIn('keyed', 'keyed', descending(2), { overlap: 'wait-all' });
  const first = await begun(must(a), 1);
  expect(await wait(must(b))).toMatchObject({ kind: 'waiting', holder: first.runId });
  expect((await finishAndWake(one, [finishRequest(first)]))[0]?.woken).toEqual([]);
  expect(await rateTurn(one, must(b).runId)).toMatchObject({ pool: 'keyed', ahead: 0 });
  const lost = must(LEDGER_REPAIRS.find(({ kind }) => kind === 'lost_wake_up'));
  expect(await (await lost.find(one, { limit: 10, deadMs: 60_000 })).fix()).toBe(0);
  await pass('@pool:keyed', HOUR);
  const { woken } = await wakeRated(one);
  expect(woken).toMatchObject([{ id: must(b).runId, slot: 1 }]);
  expect((await beginWoken(must(woken[0]))).kind).toBe('begun');
});

it('counts an edit of the rate at once, also for runs that wait, and lets all go when it is removed', async () => {
  await setRate('edited', { limit: 1, perMs: HOUR });
  const runs = await runsIn('edited', 'edited', descending(6));
  await begun(must(runs[0]));
  for (const run of runs.slice(1, 5)) await wait(run);
  expect((await wakeRated(one)).woken).toEqual([]);
  await setRate('edited', { limit: 3, perMs: HOUR });
  const { woken } = await wakeRated(one);
  expect(ids(woken)).toEqual([must(runs[1]).runId, must(runs[2]).runId]);
  await beginWoken(must(woken[0]));
  await setRate('edited', null);
  const { woken: rest } = await wakeRated(one);
  expect(ids(rest)).toEqual([must(runs[3]).runId, must(runs[4]).runId]);
  for (const run of [...woken.slice(1), ...rest, { ...must(runs[5]), id: must(runs[5]).runId, slot: null }])
    expect((await begin({ ...run, runId: run.id })).kind).toBe('begun');
  const { rows } = await one.pool.query(`SELECT reason FROM run WHERE pool = 'edited' AND reason IS NOT NULL`);
  expect(rows).toEqual([]);
});

it('refuses a run that was looked up before its pool had a rate: its job is made anew', async () => {
  const [a] = await runsIn('sudden', 'sudden', [1000]);
  await setRate('sudden', { limit: 1, perMs: HOUR });
  const result = await beginRuns(one, [{ ...beginRequest(must(a)), slot: null, rated: false }]);
  expect(result).toEqual([{ kind: 'changed' }]);
  expect(await stateOf(one, must(a).runId)).toBe('queued');
  expect(await startsUnder('@pool:sudden')).toBe(0);
  expect((await begin(must(a))).kind).toBe('begun');
});

it('refuses a run that was looked up before an edit gave its task a rate', async () => {
  const [a] = await runsIn('unrated', 'edited-in-time', [1000], { rate: { limit: 1, perMs: HOUR } });
  const result = await beginRuns(one, [{ ...beginRequest(must(a)), slot: null, rated: false }]);
  expect(result).toEqual([{ kind: 'changed' }]);
  expect(await startsUnder('edited-in-time')).toBe(0);
  expect((await begin(must(a))).kind).toBe('begun');
  expect(await startsUnder('edited-in-time')).toBe(1);
});

it('counts a pool apart from a task whose key has its name', async () => {
  await setRate('twin', { limit: 1, perMs: HOUR });
  const [a] = await runsIn('other', 'twin', [1000], { rate: { limit: 1, perMs: HOUR, key: '@pool:twin' } });
  const [b] = await runsIn('twin', 'in-twin', [1000]);
  await begun(must(a));
  await begun(must(b));
  expect([await startsUnder('@pool:twin'), await startsUnder('@@pool:twin')]).toEqual([1, 1]);
});

it('never starts more than each rate allows, and never waits in a circle, however many begin at once', async () => {
  // Two buckets a run, that of the pool and of the task, in batches whose orders differ.
  const limits = { mixed: 9, first: 4, second: 5, third: 6 };
  await setRate('mixed', { limit: limits.mixed, perMs: HOUR });
  await setRate('a-mixed', { limit: limits.mixed, perMs: HOUR });
  const runs: QueuedFixture[] = [];
  for (const pool of ['mixed', 'a-mixed'])
    for (const key of ['first', 'second', 'third'] as const)
      runs.push(
        ...(await runsIn(pool, `${pool}-${key}`, descending(8), { rate: { limit: limits[key], perMs: HOUR, key } })),
      );
  const shuffled = [...runs.keys()].toSorted((a, b) => ((a * 29) % 48) - ((b * 29) % 48)).map((at) => must(runs[at]));
  const batches = Array.from({ length: 16 }, (_, at) => shuffled.filter((__, index) => index % 16 === at));
  const results = await Promise.all(
    batches.map((batch, at) =>
      beginRuns(
        at % 2 === 0 ? one : two,
        batch.map((run) => ({ ...beginRequest(run), slot: null, rated: true })),
      ),
    ),
  );
  const begunRuns = results.flat().filter(({ kind }) => kind === 'begun');
  expect(results.flat().every(({ kind }) => kind === 'begun' || kind === 'busy')).toBe(true);
  const starts = Object.fromEntries(
    await Promise.all(
      ['first', 'second', 'third', '@pool:mixed', '@pool:a-mixed'].map(async (key) => [key, await startsUnder(key)]),
    ),
  );
  expect(starts.first + starts.second + starts.third).toBe(begunRuns.length);
  expect(starts['@pool:mixed'] + starts['@pool:a-mixed']).toBe(begunRuns.length);
  expect(starts).toMatchObject({ first: limits.first, second: limits.second, third: limits.third });
  expect(Math.max(starts['@pool:mixed'], starts['@pool:a-mixed'])).toBeLessThanOrEqual(limits.mixed);
});
