import { asUser, spawnNode, testDatabase, testRedis } from '@escapement/testkit';
import pg from 'pg';
import { expect, test } from 'vitest';

const { url, name } = await testDatabase();
const { url: redisUrl } = await testRedis();

test('a program whose user lacks a right says in a sentence who lacks what, and what to do, and ends', async () => {
  // Whoever has the rights of the command line reads most, and is no worker.
  const user = `only_api_${name.slice(-8)}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE ROLE ${user} LOGIN PASSWORD 'x' IN ROLE escapement_api`);
  const env = {
    DATABASE_URL: Object.assign(new URL(asUser(url, 'api')), { username: user, password: 'x' }).href,
    REDIS_URL: redisUrl,
    ESCAPEMENT_HEALTH_PORT: 'off',
  };
  const worker = spawnNode(new URL('../apps/worker/src/main.ts', import.meta.url), { env });
  expect(await worker.exited).toMatchObject({ code: 3 });
  const last = worker.lines.map((line) => JSON.parse(line)).find(({ level }) => level === 'fatal');
  expect(last).toMatchObject({
    code: 'database_rights',
    msg: expect.stringMatching(
      new RegExp(`^the user "${user}" in Postgres lacks what a worker needs: DELETE on batch_note.* and \\d+ more$`),
    ),
    fix: expect.stringMatching(new RegExp(`escapement migrate --roles.*GRANT escapement_worker TO "${user}"`)),
  });
  expect(last).not.toHaveProperty('err');
  await admin.query(`DROP ROLE ${user}`);
  await admin.end();
});
