import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { ask, token, errors } = await testApi();

test('the fleet is examined by its ledger; without a scheduler nobody can look at Redis', async () => {
  const { status, body } = await ask({ path: '/v1/doctor' });
  expect([status, body.ok]).toEqual([200, false]);
  const levelOf = (subject: string) =>
    body.findings
      .filter((each: { subject: string }) => each.subject === subject)
      .map((each: { level: string }) => each.level);
  expect(levelOf('Migrations')).toEqual(['ok']);
  expect(levelOf('Schedulers')).toEqual(['problem']);
  expect(levelOf('Workers')).toEqual(['problem']);
  expect(levelOf('Redis')).toEqual(['problem']);
  expect(errors).toEqual([]);
});

test('it is for who may read all of the namespace', async () => {
  expect((await ask({ path: '/v1/doctor' }, await token({ role: 'viewer' }))).status).toBe(200);
  expect((await ask({ path: '/v1/doctor' }, await token({ role: 'admin', scope: 'team=shop' }))).status).toBe(403);
});

test('what matters in production is told to who asks for it', async () => {
  const subjects = async (path: string): Promise<string[]> =>
    (await ask({ path })).body.findings.map(({ subject }: { subject: string }) => subject);
  const usual = await subjects('/v1/doctor');
  const more = ['Backups', 'Standbys', 'Connections', 'Limits', 'Disk', 'TLS', 'Tokens', 'Versions'];
  for (const each of more) expect(usual).not.toContain(each);
  expect(await subjects('/v1/doctor?production=true')).toEqual(expect.arrayContaining([...usual, ...more]));
});
