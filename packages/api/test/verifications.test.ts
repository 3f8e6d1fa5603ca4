import { saveTask } from '@escapement/operations';
import { by } from '@escapement/testkit';
import { expect, test } from 'vitest';
import { testApi } from './api.ts';

const { ask, token, db, errors } = await testApi();
const handler = { type: 'shell', command: 'true' } as const;
await saveTask(db, { name: 'a', handler, labels: { team: 'shop' } }, { source: 'cli', by: by('test') });
const post = (body: object, given?: string) => ask({ method: 'POST', path: '/v1/ledger-verifications', body }, given);

test('a verification is asked for, found by its place, and listed', async () => {
  const asked = await post({ from: '2h', task: 'a', reason: 'an outage' });
  expect(asked.status).toBe(202);
  const { body } = await ask({ path: String(asked.headers.location) });
  expect(body).toMatchObject({
    ...{ id: asked.body.id, task: 'a', label: null, state: 'waiting' },
    ok: null,
    found: null,
  });
  expect((await ask({ path: '/v1/ledger-verifications' })).body.items).toMatchObject([{ id: asked.body.id }]);
  expect((await ask({ path: '/v1/bulk' })).body.items).toEqual([]);
  expect((await ask({ path: `/v1/bulk/${asked.body.id}` })).status).toBe(404);
  const again = await post({});
  expect([again.status, again.body.code]).toEqual([409, 'verification_runs']);
});

test('its end is told with what was found', async () => {
  const found = {
    ...{ verifiedTo: '2026-01-01T00:00:00.000Z', tasks: 1, expected: 5, rows: 4, findings: 1, gaps: 1 },
    named: [{ kind: 'missing', task: 'a', scheduledFor: '2026-01-01T00:00:00.000Z', runId: null, detail: 'no row' }],
  };
  await db.pool.query(`UPDATE request SET answer = $1, answered_at = now()`, [JSON.stringify(found)]);
  const { body } = await ask({ path: '/v1/ledger-verifications' });
  expect(body.items).toMatchObject([{ state: 'done', ok: false, found }]);
});

test('a token reads verifications of what it may read', async () => {
  await db.pool.query('DELETE FROM request');
  const scoped = await token({ role: 'viewer', scope: 'team=shop' });
  expect((await post({}, scoped)).status).toBe(403);
  const own = await post({ task: 'a' }, scoped);
  expect(own.status).toBe(202);
  expect((await ask({ path: `/v1/ledger-verifications/${own.body.id}` }, scoped)).status).toBe(200);
  expect((await ask({ path: '/v1/ledger-verifications' }, scoped)).status).toBe(403);
  await db.pool.query('DELETE FROM request');
  const whole = await post({});
  expect((await ask({ path: `/v1/ledger-verifications/${whole.body.id}` }, scoped)).status).toBe(403);
});

test('what cannot be verified is refused', async () => {
  await db.pool.query('DELETE FROM request');
  const answers = await Promise.all([post({ from: 'soon' }), post({ from: '1h', to: '2h' }), post({ from: '40d' })]);
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
  expect((await post({ task: 'nobody' })).body.code).toBe('unknown_task');
});

test('nothing of that was a mistake of the server', () => expect(errors).toEqual([]));
