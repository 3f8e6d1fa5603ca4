import { lockRows, testDatabase } from '@escapement/testkit';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../src/index.ts';
import { MINUTE, makeTask, type QueuedFixture, queueRuns } from './ledger.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());

const AWAY = 'away';
let named = 0;

beforeEach(async () => {
  await db.pool.query('TRUNCATE key_slot');
});

/** A run of the key whose task allows so many. */
async function run(limit: number): Promise<QueuedFixture> {
  const taskId = await makeTask(db, { name: `task-${named++}`, limit });
  const [queued] = await queueRuns(db, [{ taskId, key: 'k', ageMs: MINUTE }]);
  if (!queued) throw new Error('no fixture');
  return queued;
}

interface Slot {
  namespace?: string;
  key?: string;
  agreed?: number;
  holder?: QueuedFixture;
}

/** A row of a slot; where a run holds it, it has just been given to that. */
async function slot(number: number, { namespace = db.namespace, key = 'k', agreed = 0, holder }: Slot = {}) {
  await db.pool.query(
    `INSERT INTO key_slot (namespace, key, slot, key_limit, run_id, run_scheduled_for, since)
     VALUES ($1, $2, $3, $4, $5, $6, now() + interval '1 min')`,
    [namespace, key, number, agreed, holder?.runId ?? null, holder?.scheduledFor ?? null],
  );
}

async function room(limit: number, { runId } = { runId: '00000000-0000-0000-0000-000000000000' }): Promise<boolean> {
  const { rows } = await db.pool.query('SELECT key_room_locked($1, $2, $3, $4) AS room', [
    ...[db.namespace, 'k', limit, runId],
  ]);
  return rows[0].room;
}

async function slots(): Promise<string[]> {
  const { rows } = await db.pool.query<{ slot: string }>(
    `SELECT concat_ws(' ', namespace, key, slot, key_limit) AS slot FROM key_slot ORDER BY 1`,
  );
  return rows.map((row) => row.slot);
}

it('the first slot is made where it is not there, and says the limit', async () => {
  expect(await room(3)).toBe(true);
  expect(await slots()).toEqual(['default k 1 3']);
});

it('the first slot alone says the limit, of its own key and namespace', async () => {
  await slot(1, { namespace: AWAY });
  await slot(1, { key: 'j' });
  await slot(2);
  await slot(1);
  expect(await room(3)).toBe(true);
  expect(await slots()).toEqual(['away k 1 0', 'default j 1 0', 'default k 1 3', 'default k 2 0']);
});

it('where as many hold slots as the run allows there is no room, and no other limit is noted', async () => {
  await slot(1, { holder: await run(3) });
  await slot(2, { holder: await run(3) });
  expect(await room(2)).toBe(false);
  expect(await slots()).toEqual(['default k 1 0', 'default k 2 0']);
});

it('where as many hold slots as one of them allows there is no room', async () => {
  await slot(1, { holder: await run(1) });
  expect(await room(3)).toBe(false);
});

it('of runs of several limits none is noted', async () => {
  await slot(1, { agreed: 3, holder: await run(3) });
  expect(await room(2)).toBe(true);
  expect(await slots()).toEqual(['default k 1 0']);
});

it('where all have the limit that is noted, holders are not counted', async () => {
  await slot(1, { agreed: 2, holder: await run(2) });
  await slot(2, { holder: await run(2) });
  expect(await room(2)).toBe(true);
});

it.each<[string, Slot]>([
  ['another namespace', { namespace: AWAY }],
  ['another key', { key: 'j' }],
])('the limit that is noted for %s is not that of the key', async (_, of) => {
  await slot(1, { ...of, agreed: 1 });
  await slot(1, { holder: await run(1) });
  expect(await room(1)).toBe(false);
});

it('the run itself is in no way of its own', async () => {
  const own = await run(1);
  await slot(1, { holder: own });
  expect(await room(1, own)).toBe(true);
});

it('who has the first slot locked is waited for', async () => {
  await slot(1, { agreed: 2 });
  const held = await lockRows(url, 'SELECT FROM key_slot WHERE slot = 1 FOR UPDATE');
  const answer = room(2);
  expect(await Promise.race([answer, held.awaited()])).toBeUndefined();
  await held.release();
  expect(await answer).toBe(true);
});

it('who has another slot locked is not, whichever row is read first', async () => {
  await slot(2);
  await slot(1);
  const held = await lockRows(url, 'SELECT FROM key_slot WHERE slot = 2 FOR UPDATE');
  const client = await db.pool.connect();
  await client.query('BEGIN; SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off');
  const answer = client.query(`SELECT key_room_locked('default', 'k', 2, NULL) AS room`).then(({ rows }) => rows);
  expect(await Promise.race([answer, held.awaited()])).toEqual([{ room: true }]);
  await client.query('ROLLBACK');
  client.release();
  await held.release();
});
