import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { dataFolder, startOwner } from './owner.ts';

const home = await dataFolder();

/** A stand-in for Docker: notes how it is called, and answers as the real one does. */
const DOCKER = `#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
[ "$1" = info ] && { echo 29.0; exit "\${ENGINE:-0}"; }
[ "$2" = version ] && exit 0
shift 3
case "$1" in
  ps) echo redis ;;
  port) [ "$2" = postgres ] && echo 0.0.0.0:15432 || echo 127.0.0.1:16379 ;;
  config) echo '{"services":{"postgres":{"environment":{"POSTGRES_OWNER":"clock","POSTGRES_OWNER_PASSWORD":"t:ck","POSTGRES_DB":"tower"}},"redis":{"environment":{"REDIS_PASSWORD":"b:ll"}}}}' ;;
  up) exit "\${UP:-0}" ;;
esac
`;

async function machine(name: string) {
  const bin = join(home, name);
  await mkdir(bin);
  await writeFile(join(bin, 'docker'), DOCKER);
  await chmod(join(bin, 'docker'), 0o755);
  const composeFile = join(bin, 'docker-compose.yml');
  await writeFile(composeFile, '');
  const path = `${bin}${delimiter}${process.env.PATH}`;
  return { path, options: { dataDir: join(bin, 'data'), composeFile, compose: true }, calls: join(bin, 'calls') };
}

test('URLs that are given are taken, and nothing is started', async () => {
  const { path, options, calls } = await machine('given');
  const urls = { databaseUrl: 'postgresql://me:secret@db.example/tasks', redisUrl: 'redis://cache.example:6379/2' };
  const owner = await startOwner({ ...options, ...urls }, { PATH: path });
  expect(owner).toMatchObject({ ...urls, how: { postgres: 'url', redis: 'url' } });
  expect(owner.process.lines.slice(0, 2)).toEqual([
    'Postgres: as configured, postgresql://me@db.example/tasks',
    'Redis: as configured, redis://cache.example:6379/2',
  ]);
  await expect(readFile(calls)).rejects.toThrow('ENOENT');
});

test('where a Docker engine answers, compose is taken, and what did not run before is stopped', async () => {
  const { path, options, calls } = await machine('compose');
  const owner = await startOwner(options, { PATH: path });
  expect(owner).toMatchObject({
    databaseUrl: 'postgresql://clock:t%3Ack@127.0.0.1:15432/tower',
    redisUrl: 'redis://escapement:b%3All@127.0.0.1:16379/0',
    how: { postgres: 'compose', redis: 'compose' },
  });
  await owner.process.terminate();
  const called = (await readFile(calls, 'utf8')).split('\n').map((line) => line.replace(options.composeFile, 'FILE'));
  expect(called).toContain('compose -f FILE up -d --wait postgres redis');
  expect(called).toContain('compose -f FILE stop --timeout 4 postgres');
});

test('only what no URL is given for is started', async () => {
  const { path, options, calls } = await machine('half');
  const owner = await startOwner({ ...options, redisUrl: 'redis://cache.example' }, { PATH: path });
  expect(owner.how).toEqual({ postgres: 'compose', redis: 'url' });
  expect(await readFile(calls, 'utf8')).toContain('up -d --wait postgres\n');
});

test('an engine that does not answer is passed over', async () => {
  const { path, options } = await machine('silent');
  const owner = await startOwner(options, { PATH: path, ENGINE: '1' });
  expect(owner.how).toEqual({ postgres: 'embedded', redis: 'embedded' });
  await owner.process.terminate();
});

test('a compose that fails is told, and embedded servers are taken', async () => {
  const { path, options } = await machine('failing');
  const owner = await startOwner(options, { PATH: path, UP: '1' });
  expect(owner.how).toEqual({ postgres: 'embedded', redis: 'embedded' });
  expect(owner.process.lines).toContain('docker compose up failed: exit code 1; taking embedded servers instead');
  await owner.process.terminate();
});
