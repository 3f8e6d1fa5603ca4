import { afterAll, beforeEach, expect, it } from 'vitest';
import { ratesOfKey, rateTurn } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

// The function rate_opens_at, and what people are told of a rate.
const processes = await twoProcesses();
const { one } = processes;
afterAll(() => processes.close());

const HOUR = 60 * MINUTE;
const LIMIT = 2;
const taskId = await makeTask(one, { name: 'm', overlap: 'allow', rate: { limit: LIMIT, perMs: HOUR, key: 'm' } });
const wide = await makeTask(one, { name: 'wide', overlap: 'allow', rate: { limit: 3, perMs: HOUR, key: 'm' } });
const free = await makeTask(one, { name: 'free', overlap: 'allow' });

const neighbours = [
  ['default', 'a'],
  ['default', 'z'],
  ['a', 'm'],
  ['z', 'm'],
] as const;

beforeEach(async () => {
  for (const table of ['run', 'rate_wait', 'rate_start', 'rate_bucket']) await one.pool.query(`DELETE FROM ${table}`);
  for (const [namespace, key] of neighbours) await started([7, 6, 5, 4, 3, 2, 1], namespace, key);
});

/** So many minutes ago runs started under a rate. */
async function started(ages: readonly number[], namespace = 'default', key = 'm'): Promise<void> {
  await one.pool.query(
    'INSERT INTO rate_bucket (namespace, rate_key, taken, most, longest_ms) VALUES ($1, $2, cardinality($3::integer[]), 9, 0)',
    [namespace, key, ages],
  );
  await one.pool.query(
    `INSERT INTO rate_start (namespace, rate_key, number, started_at, run_id)
     SELECT $1, $2, a.number, now() - a.minutes * interval '1 min', gen_random_uuid()
     FROM unnest($3::integer[]) WITH ORDINALITY AS a(minutes, number)`,
    [namespace, key, ages],
  );
}

const FRESH = `woken_at = clock_timestamp() + interval '1 h'`;
const STALE = `woken_at = now() - interval '1 min'`;
const WAITS = `state = 'waiting', waiting_since = now()`;
const QUEUED = `state = 'queued'`;

interface InLine {
  run?: string;
  line?: string;
  minutes?: number;
}

/** A run in the line of the rate, so many minutes old. `run`, `line`: what is true of it, and of its place. */
async function inLine({ run = WAITS, line = 'woken_at = NULL', minutes = 30 }: InLine = {}): Promise<QueuedFixture> {
  const [made] = await queueRuns(one, [{ taskId, key: 'm', ageMs: minutes * MINUTE }]);
  if (!made) throw new Error('no fixture');
  await one.pool.query(`UPDATE run SET rate_key = 'm', ${run} WHERE id = $1`, [made.runId]);
  await one.pool.query(
    `INSERT INTO rate_wait (namespace, rate_key, scheduled_for, run_id, key) VALUES ('default', 'm', $1, $2, 'm')`,
    [made.scheduledFor, made.runId],
  );
  await one.pool.query(`UPDATE rate_wait SET ${line} WHERE run_id = $1`, [made.runId]);
  return made;
}

/** The rate is open for a run, or shut until the token of a start comes back, or until others have gone before it. */
async function opens(run: QueuedFixture, { inOrder = true, task = taskId } = {}): Promise<string | undefined> {
  const { rows } = await one.pool.query<{ opens: string }>(
    `SELECT CASE WHEN o.at IS NULL THEN 'open' ELSE coalesce((SELECT 'after start ' || s.number FROM rate_start s
       WHERE s.namespace = 'default' AND s.rate_key = 'm' AND s.started_at + interval '1 h' = o.at), 'behind others') END AS opens
     FROM rate_opens_at('default', 'm', $1, $2, $3, $4) AS o(at)`,
    [task, run.scheduledFor, run.runId, inOrder],
  );
  return rows[0]?.opens;
}

it.each([
  [[], 'open'],
  [[10], 'open'],
  [[30, 10], 'after start 1'],
  [[30, 20, 10], 'after start 2'],
  [[90, 80], 'open'],
  [[90, 10], 'open'],
])('after starts %j minutes ago', async (ages, then) => {
  await started(ages);
  expect(await opens(await inLine({ run: QUEUED }))).toBe(then);
});

it('where no start was ever counted a token is there', async () => {
  expect(await opens(await inLine())).toBe('open');
});

it('who is under no rate needs no token', async () => {
  await started([30, 20, 10]);
  expect(await opens(await inLine(), { task: free })).toBe('open');
});

it.each([
  ['there are tokens besides', [], 1, taskId, 'open'],
  ['all tokens are reserved', [], 2, taskId, 'behind others'],
  ['the only one left is reserved', [10], 1, taskId, 'after start 1'],
  ['more are reserved than there may be', [20, 10], 3, taskId, 'after start 2'],
  ['two have started of three', [20, 10], 1, wide, 'after start 1'],
] as const)('what is reserved goes before a run: %s', async (...[, ages, reserved, task, then]) => {
  await started(ages);
  for (let n = 0; n < reserved; n += 1) await inLine({ run: QUEUED, line: FRESH, minutes: n + 1 });
  expect(await opens(await inLine(), { task })).toBe(then);
});

it.each([
  ['a while ago', { run: QUEUED, line: STALE }],
  ['for one that has begun', { run: `state = 'retrying'`, line: FRESH }],
  ['of another rate', { run: QUEUED, line: `${FRESH}, rate_key = 'n'` }],
  ['of another namespace', { run: QUEUED, line: `${FRESH}, namespace = 'other'` }],
])('what was reserved %s counts no more', async (_, reserved) => {
  await started([]);
  for (const minutes of [1, 2]) await inLine({ ...reserved, minutes });
  expect(await opens(await inLine())).toBe('open');
});

it('a run waits for those that wait and were scheduled earlier, if it is to keep the order', async () => {
  await started([]);
  await inLine({ minutes: 40 });
  const run = await inLine();
  expect([await opens(run), await opens(run, { inOrder: false })]).toEqual(['behind others', 'open']);
});

it('a token that came back is not for who is behind others', async () => {
  await started([90, 80]);
  await inLine({ minutes: 40 });
  expect(await opens(await inLine())).toBe('behind others');
});

it.each([
  ['was scheduled later', { minutes: 20 }],
  ['is queued', { run: QUEUED }],
  ['is to be cancelled', { run: `${WAITS}, cancel_requested_at = now(), cancel_requested_by = 'ann'` }],
  ['has waited for long enough', { run: `${WAITS}, wait_until = now() - interval '1 min'` }],
  ['waits for another rate', { line: `rate_key = 'n'` }],
  ['is of another namespace', { line: `namespace = 'other'` }],
])('a run waits for none that %s', async (_, other) => {
  await started([]);
  await inLine({ minutes: 40, ...other });
  expect(await opens(await inLine())).toBe('open');
});

it.each([
  ['it has one reserved', FRESH, 'open'],
  ['that was a while ago', STALE, 'behind others'],
  ['that is of another rate', `${FRESH}, rate_key = 'n'`, 'behind others'],
  ['that is of another namespace', `${FRESH}, namespace = 'other'`, 'behind others'],
])('a run goes before others: %s', async (_, line, then) => {
  await started([]);
  await inLine({ minutes: 40 });
  expect(await opens(await inLine({ run: QUEUED, line }))).toBe(then);
});

it('what is reserved for another run of the same instant is not for this one', async () => {
  await started([]);
  await inLine({ minutes: 40 });
  const [run, twin] = [await inLine(), await inLine({ run: QUEUED, line: FRESH, minutes: 29 })];
  await one.pool.query('UPDATE rate_wait SET scheduled_for = $2 WHERE run_id = $1', [twin.runId, run.scheduledFor]);
  expect(await opens(run)).toBe('behind others');
});

it('tells the rates of a key: how many have started, wait, and when the next may', async () => {
  await started([90, 20, 10]);
  const { rows } = await one.pool.query(
    `SELECT started_at + interval '1 h' AS at FROM rate_start WHERE namespace = 'default' AND rate_key = 'm' AND number = 2`,
  );
  await inLine();
  await inLine({ minutes: 29, run: QUEUED });
  await inLine({ minutes: 28, line: `rate_key = 'n'` });
  await inLine({ minutes: 27, line: `namespace = 'other'` });
  const rate = { rateKey: 'm', pool: null, perMs: HOUR, started: 2, waiting: 1 };
  expect(await ratesOfKey(one, 'm')).toEqual([{ ...rate, limit: LIMIT, nextAt: rows[0].at }]);
  expect(await ratesOfKey(one, 'wide')).toEqual([{ ...rate, limit: 3, nextAt: null }]);
  expect(await ratesOfKey(one, 'free')).toEqual([]);
});

it('a rate whose key each run renders anew is told of the runs that wait', async () => {
  await makeTask(one, { name: 'each', rate: { limit: 1, perMs: HOUR, key: 'of {{payload.x}}' } });
  expect(await ratesOfKey(one, 'each')).toEqual([]);
  await inLine({ run: `${WAITS}, key = 'each'` });
  await inLine({ minutes: 29, run: QUEUED });
  expect(await ratesOfKey(one, 'each')).toMatchObject([{ rateKey: 'm' }]);
});

it('the rates of a task that was deleted are not told, nor of a key for runs that do not wait or are elsewhere', async () => {
  await inLine({ run: `${QUEUED}, key = 'k'` });
  await inLine({ minutes: 29, run: `${WAITS}, key = 'k', namespace = 'other'`, line: `namespace = 'other'` });
  await makeTask(one, { name: 'gone', key: 'k', rate: { limit: 1, perMs: HOUR, key: 'k' } });
  expect(await ratesOfKey(one, 'k')).toHaveLength(1);
  await one.pool.query(`UPDATE task SET deleted_at = now() WHERE name = 'gone'`);
  expect(await ratesOfKey(one, 'k')).toEqual([]);
});

it('the turn of a run counts those of its rate that were scheduled before it', async () => {
  await started([]);
  for (const minutes of [40, 35]) await inLine({ minutes });
  const run = await inLine();
  await inLine({ minutes: 20 });
  await inLine({ minutes: 50, line: `rate_key = 'n'` });
  await inLine({ minutes: 51, line: `namespace = 'other'` });
  expect(await rateTurn(one, run.runId)).toMatchObject({
    rateKey: 'm',
    ahead: 2,
    waiting: 4,
    turnAt: expect.any(Date),
  });
});

it('a run has no turn that waits no more, or in another namespace', async () => {
  const [run, queued] = [await inLine(), await inLine({ minutes: 29, run: QUEUED })];
  expect(await rateTurn(one, queued.runId)).toBeNull();
  expect(await rateTurn({ ...one, namespace: 'other' }, run.runId)).toBeNull();
});
