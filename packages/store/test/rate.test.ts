import { randomUUID } from 'node:crypto';
import type { TaskInput } from '@escapement/core';
import { by } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import {
  type BegunRun,
  beginRuns,
  finishAndWake,
  LEDGER_REPAIRS,
  lookUpRuns,
  pruneSmallTables,
  ratesOfKey,
  rateTurn,
  requestCancel,
  type WokenRun,
  waitRun,
  wakeRated,
} from '../src/index.ts';
import {
  ago,
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

/** Due runs of a task with a rate, the oldest first. */
async function rated(name: string, count: number, input: Partial<TaskInput> = {}): Promise<QueuedFixture[]> {
  const taskId = await makeTask(one, { name, overlap: 'allow', rate: { limit: 2, perMs: HOUR }, ...input });
  return await queueRuns(
    one,
    Array.from({ length: count }, (_, index) => ({ taskId, key: name, ageMs: (count - index) * 1000 })),
  );
}

async function begin(run: QueuedFixture, slot: number | null = null) {
  return must((await beginRuns(one, [{ ...beginRequest(run), slot, rated: true }]))[0]);
}

async function begun(run: QueuedFixture, slot: number | null = null): Promise<BegunRun> {
  const result = await begin(run, slot);
  if (result.kind !== 'begun') throw new Error(`not begun: ${result.kind}`);
  return result.run;
}

function wait(run: QueuedFixture, bounds: { maxWaiting?: number; maxWaitMs?: number } = {}, attempt = 0) {
  const seen = { state: 'queued', dispatch: run.dispatch, attempt };
  return waitRun(one, { ...run, ...bounds, seen });
}

const REPAIRS = { limit: 10, deadMs: 60_000 };

/** What a report would say. */
async function drift() {
  const findings = await Promise.all(LEDGER_REPAIRS.map((repair) => repair.find(one, REPAIRS)));
  return findings.flatMap((finding) => finding.drift);
}

/** Puts one kind of difference right. Returns how many it was. */
async function repair(kind: string): Promise<number> {
  return await (await must(LEDGER_REPAIRS.find((each) => each.kind === kind)).find(one, REPAIRS)).fix();
}

/** So long ago were all starts of a rate. */
async function pass(rateKey: string, ms: number): Promise<void> {
  await one.pool.query(`UPDATE rate_start SET started_at = started_at - $2 * interval '1 ms' WHERE rate_key = $1`, [
    rateKey,
    ms,
  ]);
}

async function beginWoken(run: WokenRun) {
  return await begin({ ...run, runId: run.id }, run.slot);
}

const ids = (runs: readonly { id: string }[]) => runs.map(({ id }) => id);
const runIds = (runs: readonly { runId: string }[]) => runs.map(({ runId }) => runId);

it('lets begin as many as its limit, and says of the next that no key is in its way', async () => {
  const [a, b, c] = await rated('begin', 3);
  expect((await begin(must(a))).kind).toBe('begun');
  expect((await begin(must(b))).kind).toBe('begun');
  expect(await begin(must(c))).toEqual({ kind: 'busy', holder: null, anySlot: true });
  const [sketch] = await lookUpRuns(one, [must(c)]);
  expect(sketch).toMatchObject({ rated: true, behind: true });
});

it('begins in one batch no more than its limit, those scheduled earlier first', async () => {
  const runs = await rated('batch', 5);
  const results = await beginRuns(
    one,
    runs.toReversed().map((run) => ({ ...beginRequest(run), slot: null, rated: true })),
  );
  expect(results.map(({ kind }) => kind)).toEqual(['busy', 'busy', 'busy', 'begun', 'begun']);
});

it('lets two processes together begin no more than its limit', async () => {
  for (let round = 0; round < 10; round++) {
    const runs = await rated(`both-${round}`, 8);
    const requests = runs.map((run) => ({ ...beginRequest(run), slot: null, rated: true }));
    const results = await Promise.all(requests.map((each, index) => beginRuns(index % 2 === 0 ? one : two, [each])));
    expect(results.flat().filter(({ kind }) => kind === 'begun')).toHaveLength(2);
  }
});

it('answers a begin that is asked twice as it did at first, and takes one token', async () => {
  const [a, b] = await rated('twice', 2);
  const request = { ...beginRequest(must(a)), slot: null, rated: true };
  const first = await beginRuns(one, [request]);
  expect(await beginRuns(two, [request])).toEqual(first);
  expect((await begin(must(b))).kind).toBe('begun');
});

it('asks for no further look where nobody waits', async () => {
  expect(await wakeRated(one)).toEqual({ woken: [], nextMs: null });
});

it('counts each start for its whole time, by the instant that the run says it started', async () => {
  const [a, b, c] = await rated('window', 3);
  const { startedAt } = await begun(must(a));
  await pass('window', HOUR / 2);
  await begun(must(b));
  expect((await begin(must(c))).kind).toBe('busy');
  await wait(must(c));
  expect(await rateTurn(one, must(c).runId)).toMatchObject({
    turnAt: new Date(startedAt.getTime() + HOUR / 2),
    started: 2,
    waiting: 1,
    ahead: 0,
  });
  await pass('window', HOUR / 2);
  const { woken } = await wakeRated(one);
  expect(ids(woken)).toEqual([must(c).runId]);
  expect((await beginWoken(must(woken[0]))).kind).toBe('begun');
});

it('says of a run that waits which rate it is over, and when it may start, and calls it no drift', async () => {
  const [a, b, c, d, e] = await rated('words', 5);
  const starts = [await begun(must(a)), await begun(must(b))];
  const at = (start: number, ms: number) => new Date(must(starts[start]).startedAt.getTime() + ms).toISOString();
  const reasons = [];
  for (const run of [c, d, e]) {
    const answer = await wait(must(run), { maxWaiting: 0 });
    expect(answer).toMatchObject({ kind: 'waiting', holder: null });
    reasons.push('reason' in answer && answer.reason);
  }
  expect(reasons).toEqual([
    `over the rate of 2 in 3600 s under "words": may start at ${at(0, HOUR)}`,
    `over the rate of 2 in 3600 s under "words": may start at ${at(1, HOUR)}`,
    `over the rate of 2 in 3600 s under "words": may start at ${at(0, 2 * HOUR)}`,
  ]);
  expect(await drift()).toEqual([]);
  expect(await repair('lost_wake_up')).toBe(0);
  expect(await ratesOfKey(one, 'words')).toMatchObject([
    { rateKey: 'words', limit: 2, perMs: HOUR, started: 2, waiting: 3 },
  ]);
});

it('wakes in the order of due times, as many as there are tokens, and lets no new one pass', async () => {
  const runs = await rated('order', 6);
  for (const run of runs.slice(0, 2)) await begun(run);
  for (const run of runs.slice(2, 5).toReversed()) await wait(run);
  await pass('order', HOUR);
  // The token is back, but others came before it.
  expect((await begin(must(runs[5]))).kind).toBe('busy');
  const { woken } = await wakeRated(one);
  expect(ids(woken)).toEqual(runIds(runs.slice(2, 4)));
  expect((await wakeRated(two)).woken).toEqual([]);
  expect((await begin(must(runs[5]))).kind).toBe('busy');
  for (const run of woken) expect((await beginWoken(run)).kind).toBe('begun');
  await pass('order', HOUR);
  expect(ids((await wakeRated(one)).woken)).toEqual([must(runs[4]).runId]);
});

it('gives the token that is reserved for a woken run to others after 5 s', async () => {
  const runs = await rated('reserved', 4, { rate: { limit: 1, perMs: HOUR } });
  await begun(must(runs[0]));
  for (const run of runs.slice(1, 3)) await wait(run);
  await pass('reserved', HOUR);
  expect(ids((await wakeRated(one)).woken)).toEqual([must(runs[1]).runId]);
  await one.pool.query(`UPDATE rate_wait SET woken_at = woken_at - interval '6 s' WHERE rate_key = 'reserved'`);
  expect(ids((await wakeRated(one)).woken)).toEqual([must(runs[2]).runId]);
});

it('does not count those that were cancelled while they waited', async () => {
  const runs = await rated('cancelled', 5, { rate: { limit: 1, perMs: HOUR } });
  await begun(must(runs[0]));
  for (const run of runs.slice(1, 4)) await wait(run);
  await requestCancel(one, must(runs[1]).runId, by('a person', 'no need'));
  await repair('cancel_pending');
  expect(await stateOf(one, must(runs[1]).runId)).toBe('cancelled');
  await pass('cancelled', HOUR);
  const { woken } = await wakeRated(one);
  expect(ids(woken)).toEqual([must(runs[2]).runId]);
});

it.each(['skip', 'wait-all', 'wait-one'] as const)(
  'makes a run of a %s task wait whose key is free',
  async (overlap) => {
    const [a, b] = await rated(`free-${overlap}`, 2, { overlap, rate: { limit: 1, perMs: HOUR } });
    const first = await begun(must(a), 1);
    await finishAndWake(one, [finishRequest(first)]);
    expect(await begin(must(b), 1)).toMatchObject({ kind: 'busy', holder: null });
    expect(await wait(must(b), { maxWaiting: overlap === 'skip' ? 0 : 1 })).toMatchObject({
      kind: 'waiting',
      holder: null,
    });
    // It has given back the slot that it found free.
    const { rows } = await one.pool.query('SELECT run_id FROM key_slot WHERE key = $1', [`free-${overlap}`]);
    expect(rows).toEqual([{ run_id: null }]);
    await pass(`free-${overlap}`, HOUR);
    const { woken } = await wakeRated(one);
    expect(woken).toMatchObject([{ id: must(b).runId, slot: 1, dispatch: 2 }]);
    expect((await beginWoken(must(woken[0]))).kind).toBe('begun');
  },
);

it('skips a run whose key is busy as without a rate', async () => {
  const [a, b] = await rated('busy', 2, { overlap: 'skip' });
  const first = await begun(must(a), 1);
  expect(await wait(must(b), { maxWaiting: 0 })).toMatchObject({ kind: 'skipped', holder: first.runId });
});

it('wakes a run whose key gets free only if there is a token, and then when there is one', async () => {
  const [a, b] = await rated('freed', 2, { overlap: 'wait-all', rate: { limit: 1, perMs: HOUR } });
  const first = await begun(must(a), 1);
  expect(await wait(must(b))).toMatchObject({ kind: 'waiting', holder: first.runId });
  expect((await finishAndWake(one, [finishRequest(first)]))[0]?.woken).toEqual([]);
  expect(await rateTurn(one, must(b).runId)).toMatchObject({ ahead: 0, limit: 1 });
  await pass('freed', HOUR);
  expect(ids((await wakeRated(one)).woken)).toEqual([must(b).runId]);
});

it('holds a token back from runs whose key is busy, not from those behind them', async () => {
  const rate = { limit: 3, perMs: HOUR, key: 'shared' };
  const [a, b] = await rated('x', 2, { overlap: 'wait-all', rate });
  const [c] = await rated('y', 1, { overlap: 'wait-all', rate });
  const [d, e] = await rated('z', 2, { rate });
  const holder = await begun(must(a), 1);
  await begun(must(d));
  await begun(must(e));
  // b waits for the rate and, once there are tokens, for its key.
  await one.pool.query(
    `INSERT INTO rate_wait (namespace, rate_key, scheduled_for, run_id, key) VALUES ('default', 'shared', $2, $1, 'x')`,
    [must(b).runId, must(b).scheduledFor],
  );
  expect((await wait(must(b))).kind).toBe('waiting');
  expect((await wait(must(c))).kind).toBe('waiting');
  await pass('shared', HOUR);
  expect(ids((await wakeRated(one)).woken)).toEqual([must(c).runId]);
  const [finished] = await finishAndWake(one, [finishRequest(holder)]);
  expect(ids(finished?.woken ?? [])).toEqual([must(b).runId]);
});

it('ends a run that was ready to wait for so long only, naming the rate', async () => {
  const [a, b] = await rated('bounded', 2, { overlap: 'wait-all', rate: { limit: 1, perMs: HOUR } });
  await finishAndWake(one, [finishRequest(await begun(must(a), 1))]);
  await wait(must(b), { maxWaitMs: 1 });
  await one.pool.query(`UPDATE run SET wait_until = now() WHERE id = $1`, [must(b).runId]);
  expect(await repair('overwaited')).toBe(1);
  const { rows } = await one.pool.query('SELECT state, reason FROM run WHERE id = $1', [must(b).runId]);
  expect(rows).toEqual([
    { state: 'skipped', reason: expect.stringMatching(/^it was over its rate, and it had waited for/) },
  ]);
});

it('counts a retry as a start', async () => {
  const [a] = await rated('retry', 1, { overlap: 'skip', rate: { limit: 1, perMs: HOUR } });
  const first = await begun(must(a), 1);
  const verdict = {
    to: 'retrying',
    reason: 'failed',
    attemptOutcome: 'failed',
    retryAt: ago(0),
    lost: false,
    uncounted: false,
  } as const;
  await finishAndWake(one, [finishRequest(first, verdict)]);
  const again = { ...must(a), dispatch: 2 };
  expect(await begin(again, 1)).toMatchObject({ kind: 'busy', holder: null });
  const seen = { state: 'retrying', dispatch: 1, attempt: 1 };
  expect(await waitRun(one, { ...again, seen })).toMatchObject({ kind: 'waiting', holder: null });
  await pass('retry', HOUR);
  const { woken } = await wakeRated(one);
  expect((await beginWoken(must(woken[0]))).kind).toBe('begun');
});

it('takes the limit of the task as it is now', async () => {
  const runs = await rated('edited', 4, { rate: { limit: 1, perMs: HOUR } });
  await begun(must(runs[0]));
  for (const run of runs.slice(1)) await wait(run);
  await one.pool.query(`UPDATE task SET definition = jsonb_set(definition, '{rate,limit}', '3') WHERE name = 'edited'`);
  expect(ids((await wakeRated(one)).woken)).toEqual(runIds(runs.slice(1, 3)));
  await one.pool.query(`UPDATE task SET definition = definition - 'rate' WHERE name = 'edited'`);
  const { woken } = await wakeRated(one);
  expect(ids(woken)).toEqual([must(runs[3]).runId]);
  expect((await beginWoken(must(woken[0]))).kind).toBe('begun');
});

it('counts apart what a key tells apart', async () => {
  const rate = { limit: 1, perMs: HOUR, key: 'to {{ payload.country }}/{{payload.shop.id}}' };
  const [a] = await rated('apart', 1, { rate, payload: { country: 'IN', shop: { id: 7 } } });
  await begun(must(a));
  const { rows } = await one.pool.query(`SELECT rate_key FROM run WHERE id = $1`, [must(a).runId]);
  expect(rows).toEqual([{ rate_key: 'to IN/7' }]);
  const { rows: rendered } = await one.pool.query(
    `SELECT rate_key_of(rate_key, '{"country": "DN"}') AS key FROM task WHERE name = 'apart'`,
  );
  expect(rendered).toEqual([{ key: 'to DN/' }]);
  const { rows: long } = await one.pool.query(
    `SELECT rate_key_of('{{payload.x}}', jsonb_build_object('x', repeat('a', 600) || x)) AS key FROM (VALUES ('b'), ('c')) v(x)`,
  );
  expect(new Set(long.map(({ key }) => key)).size).toBe(2);
  expect(long.map(({ key }) => key.length)).toEqual([512, 512]);
});

it('keeps of each rate only the starts that count, and forgets it once all its tokens are back', async () => {
  const runs = await rated('kept', 4, { rate: { limit: 1, perMs: HOUR } });
  for (const run of runs) {
    await begun(run);
    await pass('kept', HOUR);
  }
  const starts = () => one.pool.query(`SELECT number FROM rate_start WHERE rate_key = 'kept'`).then(({ rows }) => rows);
  expect(await starts()).toHaveLength(1);
  await one.pool.query(`UPDATE rate_bucket SET last_at = last_at - interval '61 min' WHERE rate_key = 'kept'`);
  await pruneSmallTables(one);
  expect(await starts()).toEqual([]);
  const { rows } = await one.pool.query(`SELECT FROM rate_bucket WHERE rate_key = 'kept'`);
  expect(rows).toEqual([]);
});

it('costs a task without a rate no row and no other statement', async () => {
  const [a] = await rated('plain', 1, { rate: undefined });
  await beginRuns(one, [{ ...beginRequest(must(a)), slot: null, rated: false, beginId: randomUUID() }]);
  const { rows } = await one.pool.query(`SELECT FROM rate_bucket WHERE rate_key = 'plain'`);
  expect(rows).toEqual([]);
  const { rows: prepared } = await one.hot.query(
    `SELECT name FROM pg_prepared_statements WHERE statement LIKE '%rate_take%' AND name LIKE 'begin_runs%'`,
  );
  expect(prepared).toEqual([]);
});
