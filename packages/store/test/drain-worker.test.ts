import { by, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it } from 'vitest';
import { drainWorker, endProcess, openDatabase, resumeWorker, writeHeartbeat } from '../src/index.ts';

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
  const { rows: acts } = await db.pool.query(`SELECT action FROM audit WHERE subject = 'worker:w' ORDER BY id`);
  expect(acts).toEqual([{ action: 'drain' }, { action: 'resume' }]);
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
