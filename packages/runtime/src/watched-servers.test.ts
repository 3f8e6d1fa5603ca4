import { openDatabase } from '@escapement/store';
import { expect, test } from 'vitest';
import { watchedPostgres, watchedRedis } from './watched-servers.ts';

const db = openDatabase({ url: 'postgres://nobody@127.0.0.1:5433/none', applicationName: 'test' });
const postgres = watchedPostgres(db);
const [redis] = watchedRedis({ redis: async () => undefined }, db);
const refused = (port: number) =>
  Object.assign(new Error(`connect ECONNREFUSED 127.0.0.1:${port}`), { code: 'ECONNREFUSED', port });
const starting = Object.assign(new Error('the database system is starting up'), { code: '57P03' });

test.each([
  ['a loop', refused(5433), { postgres: true, redis: false }],
  ['redis-watch', refused(5433), { postgres: true, redis: false }],
  ['redis-watch', starting, { postgres: true, redis: false }],
  ['redis-watch', refused(6379), { postgres: false, redis: true }],
  ['redis', refused(6379), { postgres: false, redis: true }],
  ['redis', new Error('Connection is closed.'), { postgres: false, redis: true }],
])('an error that %s meets is of the server that it asked: %s', (who, error, expected) => {
  expect({ postgres: postgres.suspects(error, who), redis: redis?.suspects(error, who) }).toEqual(expected);
});
