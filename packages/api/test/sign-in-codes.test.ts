import { createHash } from 'node:crypto';
import { MINUTE } from '@escapement/core';
import { createSignInCode, createUser, disableUser, setPassword } from '@escapement/operations';
import { auditEntries } from '@escapement/store';
import { by, ManualClock } from '@escapement/testkit';
import { beforeEach, expect, test } from 'vitest';
import { type Answer, testApi } from './api.ts';

const clock = new ManualClock('2026-11-24T12:00:00Z');
const { db, ask, errors } = await testApi('default', 'own', clock);
const away = await testApi('other', 'own', clock);
await createUser(db, { name: 'ann', role: 'operator', password: 'correct horse battery' }, by('root'));

const ORIGIN = { origin: 'http://localhost' };

beforeEach(async () => {
  await db.pool.query('DELETE FROM sign_in_count');
});

const newCode = (name = 'ann') => createSignInCode(db, name, { now: clock.now(), by: by('root') });
const enter = (code: string, headers: Record<string, string> = ORIGIN, address = '127.0.0.1') =>
  ask({ method: 'POST', path: '/v1/session/code', body: { code }, headers, address }, null);
const told = ({ status, body }: Answer) => [status, body?.code];
const OVER = [401, 'sign_in_code_over'];

test('the code of a link lets one browser in, once, as its user', async () => {
  const code = await newCode();
  const answer = await enter(code);
  expect([answer.status, answer.body.user]).toEqual([201, 'ann']);
  const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
  expect((await ask({ path: '/v1/me', headers: { cookie } }, null)).body.principal).toMatchObject({ name: 'ann' });
  expect(told(await enter(code))).toEqual(OVER);
  const actions = (await auditEntries(db, { user: 'ann' })).map(({ action }) => action);
  expect(actions.slice(0, 2)).toEqual(['sign in', 'make sign-in code']);
});

test('of several browsers at once one is let in', async () => {
  const code = await newCode();
  const answers = await Promise.all(Array.from({ length: 8 }, () => enter(code)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
});

test('a code is of no use after a quarter of an hour, for another namespace, or where there never was one', async () => {
  const code = await newCode();
  expect(
    told(await away.ask({ method: 'POST', path: '/v1/session/code', body: { code }, headers: ORIGIN }, null)),
  ).toEqual(OVER);
  clock.advance(15 * MINUTE);
  expect(told(await enter(code))).toEqual(OVER);
  expect(told(await enter('A'.repeat(43)))).toEqual(OVER);
});

test('a code is of no use once its user has another password, or is disabled', async () => {
  await createUser(db, { name: 'bob', role: 'viewer', password: 'correct horse battery' }, by('root'));
  const first = await newCode('bob');
  await setPassword(db, 'bob', 'another horse battery', by('root'));
  expect(told(await enter(first))).toEqual(OVER);
  const second = await newCode('bob');
  await disableUser(db, 'bob', by('root'));
  expect(told(await enter(second))).toEqual(OVER);
  await expect(newCode('bob')).rejects.toMatchObject({ code: 'unknown_user' });
});

test('a page elsewhere signs nobody in by a code of its own', async () => {
  const code = await newCode();
  expect(told(await enter(code, { origin: 'https://evil.example' }))).toEqual([403, 'cross_site']);
  expect(told(await enter(code, {}))).toEqual([403, 'cross_site']);
  expect((await enter(code)).status).toBe(201);
});

test('an address that tries codes out is kept out after some tries', async () => {
  for (let tries = 0; tries < 20; tries++) await enter('A'.repeat(43), ORIGIN, '10.0.0.9');
  expect(told(await enter(await newCode(), ORIGIN, '10.0.0.9'))).toEqual([429, 'too_many_sign_ins']);
});

test('of a code only its hash is kept, and nothing of it is told or logged', async () => {
  const code = await newCode();
  const answer = await enter(code);
  const { rows } = await db.pool.query<{ text: string }>(
    'SELECT c::text AS text FROM sign_in_code c UNION ALL SELECT a::text FROM audit a',
  );
  expect(rows.filter(({ text }) => text.includes(code))).toEqual([]);
  const hash = createHash('sha256').update(code).digest();
  expect((await db.pool.query('SELECT 1 FROM sign_in_code WHERE hash = $1', [hash])).rowCount).toBe(1);
  expect([answer.text.includes(code), errors]).toEqual([false, []]);
});
