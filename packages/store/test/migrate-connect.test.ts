import { testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { migrate } from '../src/index.ts';
import { migrationsDir, sql } from './migrations.ts';

const { url } = await testDatabase({ empty: true });
const dir = migrationsDir({ '1_a': 'CREATE TABLE a (id int)' });

function withPath(path: string): string {
  const changed = new URL(url);
  changed.pathname = path;
  return changed.href;
}

test('a database that does not exist is created only when asked', async () => {
  const missing = withPath(`/clock%20tower%20${process.pid}`);
  await expect(migrate(missing, { migrationsDir: dir })).rejects.toMatchObject({
    code: 'no_database',
    message: expect.stringContaining(`the database "clock tower ${process.pid}" does not exist on 127.0.0.1`),
  });
  const both = await Promise.all([1, 2].map(() => migrate(missing, { migrationsDir: dir, createDatabase: true })));
  expect(both.map(({ applied }) => applied.length).sort()).toEqual([0, 1]);
  await sql(url, `DROP DATABASE "clock tower ${process.pid}"`);
});

test('a server that is away, a wrong password and a URL that is none are told in words', async () => {
  const away = new URL(url);
  away.port = '1';
  await expect(migrate(away.href, { migrationsDir: dir })).rejects.toMatchObject({
    code: 'database_unreachable',
    message: expect.stringMatching(/cannot connect to Postgres at 127\.0\.0\.1:1 as "escapement": .*ECONNREFUSED/),
  });
  const wrong = new URL(url);
  wrong.password = 'wrong';
  await expect(migrate(wrong.href, { migrationsDir: dir })).rejects.toThrow('password authentication failed');
  await expect(migrate('tower', { migrationsDir: dir })).rejects.toMatchObject({ code: 'database_unreachable' });
});
