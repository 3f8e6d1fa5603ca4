import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterFile, testServers } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { startPostgres, startRedis } from '../src/index.ts';
import { dataFolder, redis, sql } from './owner.ts';

const dir = await dataFolder();

function occupy(): Promise<number> {
  const server: Server = createServer();
  afterFile(() => server.close());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}

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
