import { by, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { drainWorker, endProcess, openDatabase, readWorkers, resumeWorker, writeHeartbeat } from '../src/index.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'test' });
afterAll(() => db.close());

const start = (id: string, role: 'worker' | 'scheduler' = 'worker') =>
  writeHeartbeat(
    db,
    { id, role, host: 'h', pid: 1, appVersion: '1', pools: ['default'] },
    { activeRuns: [], clockOffsetMs: 0 },
  );
const drain = (id: string) => drainWorker(db, id, by('ann', 'new disk'));
const resume = (id: string) => resumeWorker(db, id, by('ann', 'done'));

it('a worker is asked to drain once, and to go on once; each is written down', async () => {
  await start('w');
  await start('beside');
  expect([await resume('w'), await drain('w'), await drain('w')]).toEqual([false, true, false]);
  const { rows } = await db.pool.query('SELECT id FROM process WHERE drain_asked_at IS NOT NULL');
  expect(rows).toEqual([{ id: 'w' }]);
  expect([await resume('w'), await resume('w')]).toEqual([true, false]);
  const { rows: actions } = await db.pool.query(`SELECT action FROM audit WHERE subject = 'worker:w' ORDER BY id`);
  expect(actions).toEqual([{ action: 'drain' }, { action: 'resume' }]);
});

it('one that has stopped, and what is no worker, is not asked', async () => {
  await start('gone');
  await endProcess(db, 'gone');
  await start('drained');
  await drain('drained');
  await endProcess(db, 'drained');
  expect(await resume('drained')).toBe(false);
  await start('scheduler', 'scheduler');
  expect([await drain('gone'), await drain('scheduler'), await drain('never')]).toEqual([false, false, false]);
});

it('one of another namespace is not asked, nor told to go on', async () => {
  const other = { ...db, namespace: 'other' };
  await start('elsewhere');
  expect(await drainWorker(other, 'elsewhere', by('ann'))).toBe(false);
  await drain('elsewhere');
  expect(await resumeWorker(other, 'elsewhere', by('ann'))).toBe(false);
  expect(await resume('elsewhere')).toBe(true);
});

it('what is no worker is not told to go on', async () => {
  await start('no-worker', 'scheduler');
  await db.pool.query(`UPDATE process SET drain_asked_at = now() WHERE id = 'no-worker'`);
  expect(await resume('no-worker')).toBe(false);
});

const RUN = '00000000-0000-7000-8000-000000000001';

async function readOnly(set: string) {
  await db.pool.query('DELETE FROM process');
  await start('w');
  await db.pool.query(`UPDATE process SET ${set}`);
  return await readWorkers(db, { withinMs: 60_000 });
}

it.each([
  ['lives', 'pid = 2', 1],
  ['is a scheduler', `role = 'scheduler'`, 0],
  ['has stopped', 'stopped_at = now()', 0],
  ['is silent', `heartbeat_at = now() - interval '1 h'`, 0],
  ['is of another namespace', `namespace = 'other'`, 0],
])('of what %s so many workers are read', async (_, set, count) => {
  expect(await readOnly(set)).toHaveLength(count);
});

it('workers are read in the order of their ids, with what they hold and what they are', async () => {
  await db.pool.query('DELETE FROM process');
  for (const id of ['b', 'c', 'a']) await start(id);
  await db.pool.query(`UPDATE process SET active_runs = ARRAY[$1::uuid] WHERE id = 'b'`, [RUN]);
  expect(await readWorkers(db, { withinMs: 60_000 })).toMatchObject([
    { id: 'a', name: null, host: 'h', pid: 1, appVersion: '1', pools: ['default'], activeRuns: 0, drain: null },
    { id: 'b', activeRuns: 1 },
    { id: 'c', activeRuns: 0 },
  ]);
});

const ASKED = `drain_asked_at = '2026-06-01T12:00:00Z', drain_asked_by = 'ann', drain_note = 'new disk'`;

it.each([
  ['has not sent a second heartbeat', 'prev_heartbeat_at = NULL', false],
  ['knows it since that very heartbeat', `prev_heartbeat_at = '2026-06-01T12:00:00Z'`, false],
  ['has known it for a heartbeat', `prev_heartbeat_at = '2026-06-01T12:00:00.001Z'`, true],
  ['holds a run', `prev_heartbeat_at = now(), active_runs = ARRAY['${RUN}'::uuid]`, false],
])('a worker that drains and %s is empty, or not', async (_, set, isEmpty) => {
  expect(await readOnly(`${ASKED}, ${set}`)).toMatchObject([
    { drain: { askedAt: new Date('2026-06-01T12:00:00Z'), askedBy: 'ann', note: 'new disk', isEmpty } },
  ]);
});
