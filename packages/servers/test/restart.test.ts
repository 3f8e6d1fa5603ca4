import { expect, test } from 'vitest';
import { ensureServers } from '../src/index.ts';
import { isAlive } from '../src/process-info.ts';
import { dataFolder, readNote, redis, sql } from './owner.ts';

const dataDir = await dataFolder();
const start = () => ensureServers({ dataDir, log: () => {}, compose: false });

test('data survive a stop and a start, and a stop leaves no process behind', async () => {
  const first = await start();
  expect(first.how).toEqual({ postgres: 'embedded', redis: 'embedded' });
  await sql(first.databaseUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await redis(first.redisUrl, (client) => client.set('kept', '42'));
  const pids = [(await readNote(dataDir, 'postgres')).serverPid, (await readNote(dataDir, 'redis')).serverPid];
  expect(pids.map(isAlive)).toEqual([true, true]);
  await first.stop();
  await first.stop();
  expect(pids.map(isAlive)).toEqual([false, false]);

  const second = await start();
  expect(await sql(second.databaseUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect(await redis(second.redisUrl, (client) => client.get('kept'))).toBe('42');
  await second.stop();
});
