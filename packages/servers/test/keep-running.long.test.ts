import { eventually } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { gone } from '../src/process-info.ts';
import { dataFolder, readNote, redis, sql, startElsewhere } from './owner.ts';

const SERVERS = ['postgres', 'redis'] as const;

test('a server that was killed comes back on its port with its data, and says so', async () => {
  const dataDir = await dataFolder();
  const owner = await startElsewhere(dataDir);
  await sql(owner.databaseUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await redis(owner.redisUrl, (client) => client.set('kept', '42'));
  // What is written to Redis is on the disk after a second.
  await redis(owner.redisUrl, (client) => client.call('WAITAOF', '1', '0', '5000').catch(() => undefined));
  for (const server of SERVERS) {
    const { serverPid } = await readNote(dataDir, server);
    process.kill(serverPid, 'SIGKILL');
    await owner.process.waitForLine(new RegExp(`process ${serverPid}\\) has ended although nobody stopped it`), 20_000);
  }
  await owner.process.waitForLine(/^Postgres answers again/, 60_000);
  await owner.process.waitForLine(/^Redis answers again/, 60_000);
  expect(await sql(owner.databaseUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect(await redis(owner.redisUrl, (client) => client.get('kept'))).toBe('42');

  const pids = await Promise.all(SERVERS.map(async (server) => (await readNote(dataDir, server)).serverPid));
  expect(await owner.process.terminate('SIGTERM')).toMatchObject({ code: 0 });
  for (const pid of pids) expect(await gone(pid, 5_000)).toBe(true);
});

test('a server that ends again and again is given up, with a reason and an exit code', async () => {
  const dataDir = await dataFolder();
  const owner = await startElsewhere(dataDir);
  const answered = () => owner.process.lines.filter((line) => line.startsWith('Redis answers again')).length;
  for (let ends = 0; ends < 6; ends++) {
    await eventually(() => expect(answered()).toBe(ends), 60_000);
    process.kill((await readNote(dataDir, 'redis')).serverPid, 'SIGKILL');
  }
  expect(await owner.process.exited).toMatchObject({ code: 1 });
  expect(owner.process.lines.at(-1)).toBe('Redis has ended 6 times within a minute');
});

test('a server that does not start again is given up at once', async () => {
  const dataDir = await dataFolder();
  const owner = await startElsewhere(dataDir);
  await sql(owner.databaseUrl, `ALTER SYSTEM SET shared_preload_libraries = 'no_such_library'`);
  process.kill((await readNote(dataDir, 'postgres')).serverPid, 'SIGKILL');
  expect(await owner.process.exited).toMatchObject({ code: 1 });
  expect(owner.process.lines.join('\n')).toMatch(/Postgres did not start on .*[\s\S]*no_such_library/);
});
