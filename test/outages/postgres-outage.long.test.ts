import { migrateWithRoles, ownPostgres, ownRedis, testRedis } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { startPair } from './outage.ts';

async function ownDatabase() {
  const postgres = await ownPostgres();
  await migrateWithRoles(postgres.url);
  return postgres;
}

test.concurrent('with Postgres dead no process logs, grows or lingers beyond the bounds', {
  timeout: 120_000,
}, async () => {
  const postgres = await ownDatabase();
  const pair = await startPair(postgres.url, (await testRedis()).url);
  await postgres.crash();
  await pair.endureAndStop(4000);
});

test.concurrent('with both dead no process logs, grows or lingers beyond the bounds', {
  timeout: 120_000,
}, async () => {
  const [postgres, redis] = await Promise.all([ownDatabase(), ownRedis()]);
  const pair = await startPair(postgres.url, redis.url);
  await Promise.all([postgres.crash(), redis.crash()]);
  await pair.endureAndStop(4000);
});

test.concurrent('with Postgres frozen no process logs, grows or lingers beyond the bounds', {
  timeout: 120_000,
}, async () => {
  const postgres = await ownDatabase();
  const pair = await startPair(postgres.url, (await testRedis()).url);
  postgres.freeze();
  await pair.endureAndStop(4000);
});

test.concurrent('each process says once that Postgres is away, and once that it answers again', {
  timeout: 120_000,
}, async () => {
  const postgres = await ownDatabase();
  const pair = await startPair(postgres.url, (await testRedis()).url);
  await postgres.crash();
  await pair.endure('Postgres does not answer', 8000);
  await postgres.start();
  for (const told of await pair.storyUntil('Postgres answers again')) expect(told).toEqual([...new Set(told)]);
});
