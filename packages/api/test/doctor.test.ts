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
