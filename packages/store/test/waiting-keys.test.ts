import type { TaskInput } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { begun, MINUTE, makeTask, type QueuedFixture, queueRuns, twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db } = processes;
afterAll(() => processes.close());

const HOUR = 60 * MINUTE;
let named = 0;

beforeEach(async () => {
  for (const table of ['run', 'key_slot', 'rate_bucket', 'rate_start'])
    await db.pool.query(`TRUNCATE ${table} CASCADE`);
});

interface Given {
  overlap?: TaskInput['overlap'];
  rate?: TaskInput['rate'];
  ageMs?: number;
}

/** A run under the key that is due, of a task of its own. */
async function queued(key: string, { overlap = 'wait-all', rate, ageMs = MINUTE }: Given = {}): Promise<QueuedFixture> {
  const taskId = await makeTask(db, { name: `task-${named++}`, overlap, rate });
  const [run] = await queueRuns(db, [{ taskId, key, ageMs }]);
  if (!run) throw new Error('no fixture');
  return run;
}

/** One that waits, with what is another of it. */
async function waiting(key: string, given: Given = {}, set = ''): Promise<void> {
  const run = await queued(key, given);
  await db.pool.query(`UPDATE run SET state = 'waiting', waiting_since = now() ${set} WHERE id = $1`, [run.runId]);
}

/** A task's rate under which one start an hour may be. */
const rate = (key: string) => ({ limit: 1, perMs: HOUR, key });

/** There has just been a start under the rate. */
async function shut(rateKey: string): Promise<void> {
  await db.pool.query(
    `INSERT INTO rate_bucket (namespace, rate_key, taken, most, longest_ms, last_at) VALUES ($1, $2, 1, 1, $3, now())`,
    [db.namespace, rateKey, HOUR],
  );
  await db.pool.query(
    `INSERT INTO rate_start (namespace, rate_key, number, started_at, run_id) VALUES ($1, $2, 1, now(), gen_random_uuid())`,
    [db.namespace, rateKey],
  );
}

async function keys(limit = 100): Promise<string[]> {
  const { rows } = await db.pool.query<{ key: string }>('SELECT waiting_keys($1, $2) AS key', [db.namespace, limit]);
  return rows.map(({ key }) => key);
}

it('each key for which runs wait is found once, in their order and up to the limit', async () => {
  for (const key of ['b', 'c', 'a', 'b', 'a']) await waiting(key);
  expect(await keys()).toEqual(['a', 'b', 'c']);
  expect(await keys(2)).toEqual(['a', 'b']);
});

it('without runs that wait there is no key', async () => {
  expect(await keys()).toEqual([]);
});

// Before the key and after it.
it.each<[string, (key: string) => Promise<unknown>]>([
  ['of another namespace', (key) => waiting(key, {}, `, namespace = 'other'`)],
  ['that do not wait', (key) => queued(key)],
  ['that take no slot', (key) => waiting(key, { overlap: 'allow' })],
])('runs %s are no reason', async (_, make) => {
  await make('a');
  await waiting('b');
  await make('c');
  expect(await keys()).toEqual(['b']);
});

it('a key that is held has no room', async () => {
  await begun(db, [await queued('held')]);
  await waiting('held', { ageMs: 1000 });
  await waiting('free');
  expect(await keys()).toEqual(['free']);
});

it('where the first waits for a token alone its key is not found; once there is a token it is', async () => {
  await waiting('k', { rate: rate('r') });
  expect(await keys()).toEqual(['k']);
  await shut('r');
  expect(await keys()).toEqual([]);
});

it.each<[string, Given | undefined, string, string[]]>([
  ['of another rate', { rate: rate('q') }, '', ['k']],
  ['of no rate', {}, '', ['k']],
  ['of the same rate', { rate: rate('r') }, '', []],
  ['of another rate in another namespace', { rate: rate('q') }, `, namespace = 'other'`, []],
])('beside the first, which waits for a token, another one %s', async (_, given, set, found) => {
  await shut('r');
  await waiting('k', { rate: rate('r'), ageMs: 2 * MINUTE });
  await waiting('k', given, set);
  expect(await keys()).toEqual(found);
});

it('where the first waits for a token, runs of another key or that do not wait are no reason', async () => {
  await shut('r');
  await waiting('k', { rate: rate('r') });
  await waiting('other');
  await queued('k', { rate: rate('q'), ageMs: 1000 });
  expect(await keys()).toEqual(['other']);
});
