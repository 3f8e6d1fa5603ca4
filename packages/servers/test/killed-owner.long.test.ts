import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { gone } from '../src/process-info.ts';
import { dataFolder, readNote, sql, startOwner } from './owner.ts';

test('servers end when their owner is killed', async () => {
  const dataDir = await dataFolder();
  const owner = await startOwner({ dataDir });
  const notes = [await readNote(dataDir, 'postgres'), await readNote(dataDir, 'redis')];
  await owner.process.kill();
  for (const { serverPid, watchdogPid } of notes) {
    expect(await gone(serverPid, 6_000)).toBe(true);
    expect(await gone(watchdogPid, 1_000)).toBe(true);
  }
});

test('servers end when their owner returns without stopping them', async () => {
  const dataDir = await dataFolder();
  const owner = await startOwner({ dataDir });
  const { watchdogPid } = await readNote(dataDir, 'postgres');
  await owner.process.terminate('SIGINT');
  expect(await gone(watchdogPid, 6_000)).toBe(true);
});

test('ephemeral servers take their data with them', async () => {
  const owner = await startOwner({ ephemeral: true });
  const [row] = (await sql(owner.databaseUrl, 'SHOW data_directory')) as { data_directory: string }[];
  const { watchdogPid } = await readNote(dirname(row?.data_directory ?? ''), 'postgres');
  const home = dirname(row?.data_directory ?? '');
  expect(existsSync(home)).toBe(true);
  await owner.process.kill();
  expect(await gone(watchdogPid, 6_000)).toBe(true);
  expect(existsSync(home)).toBe(false);
});
