import { once } from 'node:events';
import { chmod, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterFile, eventually, testServers } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { startPostgres, startRedis } from '../src/index.ts';
import { dataFolder, redis, sql } from './owner.ts';

const dir = await dataFolder();

/** A program that accepts connections and says nothing. */
async function listen(port: number): Promise<Server> {
  const server = createServer();
  afterFile(() => server.close());
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

const occupy = async () => portOf(await listen(0));

test('Postgres moves to a free port', async () => {
  const port = await occupy();
  const server = await startPostgres({ dir: join(dir, 'postgres'), port, ephemeral: true });
  expect(server.port).not.toBe(port);
  expect(await sql(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await server.stop();
});

test('Redis moves to a free port', async () => {
  const port = await occupy();
  const server = await startRedis(testServers().redisProgram, { dir: join(dir, 'redis'), port, ephemeral: true });
  expect(server.port).not.toBe(port);
  expect(await redis(server.url, (client) => client.ping())).toBe('PONG');
  await server.stop();
});

test('Redis moves to a free port when a silent program takes the one it chose', async () => {
  const free = await listen(0);
  const port = portOf(free);
  await once(free.close(), 'close');
  // A Redis that starts late: it says so, and waits until the port is taken.
  const chosen = join(dir, 'chosen');
  const taken = join(dir, 'taken');
  const slowRedis = join(dir, 'slow-redis');
  const wait = `if [ ! -e ${taken} ]; then touch ${chosen}; until [ -e ${taken} ]; do sleep 0.05; done; fi`;
  await writeFile(slowRedis, `#!/bin/sh\n${wait}\nexec ${testServers().redisProgram} "$@"\n`);
  await chmod(slowRedis, 0o755);

  const starting = startRedis(slowRedis, { dir: join(dir, 'late'), port, ephemeral: true });
  await eventually(() => stat(chosen), 10_000);
  const silent = await listen(port);
  await once(silent, 'connection');
  await writeFile(taken, '');
  const server = await starting;
  expect(server.port).not.toBe(port);
  expect(await redis(server.url, (client) => client.ping())).toBe('PONG');
  await server.stop();
});
