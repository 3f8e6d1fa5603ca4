import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { claimFolder } from './claim.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'escapement-claim-'));
afterAll(() => rmSync(folder, { recursive: true }));

const lives = async () => true;
const isGone = async () => false;

test('the first process gets the clone, and the second hears which one has it', async () => {
  const file = path.join(folder, 'first', 'dev.json');
  const claim = await claimFolder(file, lives);
  expect(claim).toHaveProperty('release');
  expect(await claimFolder(file, lives)).toMatchObject({ pid: process.pid });
});

test.each([
  ['whose process is gone', '{ "pid": 1 }'],
  ['that was cut off', '{ "pi'],
  ['that is something else', '[]'],
])('a file %s counts for nothing', async (title, text) => {
  const file = path.join(folder, `${title}.json`);
  writeFileSync(file, text);
  expect(await claimFolder(file, isGone)).toHaveProperty('release');
});

test('the file says where the servers are until the claim is released', async () => {
  const file = path.join(folder, 'dev.json');
  const claim = await claimFolder(file, lives);
  if (!('release' in claim)) throw new Error('not claimed');
  claim.write({ databaseUrl: 'postgres://127.0.0.1:1/a', redisUrl: 'redis://127.0.0.1:2' });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    pid: process.pid,
    databaseUrl: 'postgres://127.0.0.1:1/a',
    redisUrl: 'redis://127.0.0.1:2',
  });
  claim.release();
  expect(() => readFileSync(file)).toThrow('ENOENT');
});
