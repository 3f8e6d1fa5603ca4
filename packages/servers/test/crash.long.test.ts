import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureServers } from '../src/index.ts';
import { gone } from '../src/process-info.ts';
import { dataFolder, type Owner, readNote, redis, sql, startOwner } from './owner.ts';

const kill = (pid: number) => process.kill(pid, 'SIGKILL');
/** It would start anew what is killed before it is killed itself. */
const stop = ({ process: { pid } }: Owner) => process.kill(pid, 'SIGSTOP');

test('a stale pid file, even one that names a living process, is no obstacle', async () => {
  const dataDir = await dataFolder();
  const first = await startOwner({ dataDir });
  await sql(first.databaseUrl, 'CREATE TABLE kept AS SELECT 42 AS answer');
  const notes = [await readNote(dataDir, 'postgres'), await readNote(dataDir, 'redis')];
  stop(first);
  for (const { watchdogPid, serverPid } of notes) {
    kill(watchdogPid);
    kill(serverPid);
    await gone(serverPid, 5_000);
  }
  await first.process.kill();
  // The id of the dead server went to somebody else.
  await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${process.pid}\n`);

  const second = await ensureServers({ dataDir, log: () => {}, compose: false });
  expect(await sql(second.databaseUrl, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect(second.how).toEqual({ postgres: 'embedded', redis: 'embedded' });
  await second.stop();
});

test('servers that nobody owns any more are ended, and started anew', async () => {
  const dataDir = await dataFolder();
  const first = await startOwner({ dataDir });
  await redis(first.redisUrl, (client) => client.set('kept', '42'));
  const notes = [await readNote(dataDir, 'postgres'), await readNote(dataDir, 'redis')];
  stop(first);
  for (const { watchdogPid } of notes) kill(watchdogPid);
  await first.process.kill();

  const second = await ensureServers({ dataDir, log: () => {}, compose: false });
  for (const { serverPid } of notes) expect(await gone(serverPid, 0)).toBe(true);
  expect(second.how).toEqual({ postgres: 'embedded', redis: 'embedded' });
  expect(await redis(second.redisUrl, (client) => client.get('kept'))).toBe('42');
  await second.stop();
});

test('a start right after the owner was killed waits for its servers to end', async () => {
  const dataDir = await dataFolder();
  const first = await startOwner({ dataDir });
  await redis(first.redisUrl, (client) => client.set('kept', '42'));
  await first.process.kill();
  const second = await ensureServers({ dataDir, log: () => {}, compose: false });
  expect(second.how).toEqual({ postgres: 'embedded', redis: 'embedded' });
  expect(await redis(second.redisUrl, (client) => client.get('kept'))).toBe('42');
  await second.stop();
});
