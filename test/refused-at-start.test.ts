import { lockedRedis, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import pg from 'pg';
import { expect, it } from 'vitest';

const START_MS = 45_000;
const { url } = await testDatabase();
const redis = await testRedis();
const locked = await lockedRedis();

const wrong = new URL(url);
// A user that nobody has: those of the tests are given the user of their role.
wrong.username = 'stranger';
wrong.password = 'wrong';

it.each([
  ['scheduler', 'DATABASE_URL', wrong.href, 'refused the user'],
  ['worker', 'DATABASE_URL', wrong.href, 'refused the user'],
  ['scheduler', 'REDIS_URL', locked.url, 'asks for a password'],
  ['worker', 'REDIS_LEASE_URL', locked.url.replace('//', '//:wrong@'), 'does not know this user and password'],
])('a %s with a wrong %s says so and ends', async (app, variable, value, sentence) => {
  const process = spawnNode(new URL(`../apps/${app}/src/main.ts`, import.meta.url), {
    env: { DATABASE_URL: url, REDIS_URL: redis.url, ESCAPEMENT_HEALTH_PORT: 'off', [variable]: value },
  });
  expect(await process.waitForLine('"fatal"', START_MS)).toContain(sentence);
  expect((await process.exited).code).toBe(3);
  expect(process.lines.join('\n')).not.toMatch(/"stack"|"wrong"|wrong@/);
});

it('programs say which version they need to be, where the schema serves them no more', async () => {
  const { url: newer } = await testDatabase();
  const client = new pg.Client({ connectionString: newer });
  await client.connect();
  await client.query(
    `CREATE OR REPLACE FUNCTION oldest_program() RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT '999.1.0' $$`,
  );
  await client.end();
  for (const app of ['scheduler', 'worker', 'api']) {
    const process = spawnNode(new URL(`../apps/${app}/src/main.ts`, import.meta.url), {
      env: { DATABASE_URL: newer, REDIS_URL: redis.url, ESCAPEMENT_HEALTH_PORT: 'off', ESCAPEMENT_API_PORT: '0' },
    });
    expect(await process.waitForLine('"fatal"', START_MS)).toContain('serves programs of version 999.1.0 and newer');
    expect((await process.exited).code).toBe(3);
  }
});
