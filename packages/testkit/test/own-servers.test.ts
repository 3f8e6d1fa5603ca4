import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, test } from 'vitest';
import { ownPostgres, ownRedis } from '../src/index.ts';

async function sql(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

test('a Postgres comes back after a crash on its port, with what was committed', async () => {
  const server = await ownPostgres({ settings: ['work_mem=5MB'] });
  await sql(server.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
  await server.crash();
  await expect(sql(server.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
  await server.start();
  expect(await sql(server.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  expect(await sql(server.url, 'SHOW work_mem')).toEqual([{ work_mem: '5MB' }]);
});

test('a Redis comes back after a stop on its port, with its data', async () => {
  const server = await ownRedis({ settings: ['--hz 100'] });
  const client = new Redis(server.url, { retryStrategy: () => 20 });
  client.on('error', () => undefined);
  await client.set('kept', '42');
  await server.stop();
  await server.start();
  expect(await client.get('kept')).toBe('42');
  expect(await client.config('GET', 'hz')).toEqual(['hz', '100']);
  client.disconnect();
});
