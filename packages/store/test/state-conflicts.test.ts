import { SECOND } from '@escapement/core';
import { testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());

let named = 0;
let taskId = '';
beforeEach(async () => {
  await db.pool.query('TRUNCATE task_state');
  taskId = await makeTask(db, { name: `task-${named++}` });
});

/** A run of the task under the key, which is of another namespace if that is given. */
async function run(key = 'k', namespace = db.namespace): Promise<QueuedFixture> {
  // A second apart: the clock may go on by what the next one is older, and a task has one occurrence at a time.
  const [queued] = await queueRuns(db, [{ taskId, key, ageMs: MINUTE + SECOND * named++ }]);
  if (!queued) throw new Error('no fixture');
  await db.pool.query('UPDATE run SET namespace = $2 WHERE id = $1', [queued.runId, namespace]);
  return queued;
}

/** The state of the task under a key. */
const state = (key: string, version: number) =>
  db.pool.query(`INSERT INTO task_state (task_id, key, value, version, updated_by) VALUES ($1, $2, '{}', $3, 'x')`, [
    ...[taskId, key, version],
  ]);

const changes = ({ runId, scheduledFor }: QueuedFixture, version: number) => ({
  ...{ run_id: runId, scheduled_for: scheduledFor },
  effects: { state: { version, value: {}, shape: 1 } },
});

async function conflicts(...finishes: object[]): Promise<string[]> {
  const { rows } = await db.pool.query('SELECT state_conflicts($1, $2) AS runs', [
    ...[db.namespace, JSON.stringify(finishes)],
  ]);
  return rows[0].runs;
}

/** The keys whose states are locked by what ends these. */
async function locked(...finishes: object[]): Promise<string[]> {
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT state_conflicts($1, $2)', [db.namespace, JSON.stringify(finishes)]);
    const { rows } = await db.pool.query<{ key: string }>(
      `WITH free AS MATERIALIZED (SELECT key FROM task_state FOR UPDATE SKIP LOCKED)
       SELECT key FROM task_state WHERE key NOT IN (SELECT key FROM free) ORDER BY key`,
    );
    return rows.map(({ key }) => key);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

it.each([
  [3, 3, false],
  [4, 3, true],
  [2, 3, true],
])(
  'of a state of version %i, a run that has read version %i has a conflict or not',
  async (version, read, conflict) => {
    const own = await run();
    await state('k', version);
    expect(await conflicts(changes(own, read))).toEqual(conflict ? [own.runId] : []);
  },
);

it('a state that is not there has version 0', async () => {
  const [first, second] = [await run(), await run()];
  expect(await conflicts(changes(first, 0), changes(second, 1))).toEqual([second.runId]);
});

it('states of other keys are no conflict', async () => {
  const own = await run();
  await state('j', 7);
  await state('k', 3);
  await state('l', 8);
  expect(await conflicts(changes(own, 3))).toEqual([]);
});

it('runs that leave the state alone, and those of another namespace, have no conflict', async () => {
  const [own, abroad] = [await run(), await run('k', 'other')];
  await state('k', 3);
  const { effects: _, ...rest } = changes(own, 1);
  expect(await conflicts({ ...rest, effects: { chain: [] } }, changes(abroad, 1))).toEqual([]);
});

it('the states that runs want to change are locked, and no others', async () => {
  for (const key of ['changed', 'left', 'other', 'abroad']) await state(key, 1);
  const { effects: _, ...left } = changes(await run('left'), 1);
  const finishes = [changes(await run('changed'), 1), { ...left, effects: { chain: [] } }];
  expect(await locked(...finishes, changes(await run('abroad', 'other'), 1))).toEqual(['changed']);
});
