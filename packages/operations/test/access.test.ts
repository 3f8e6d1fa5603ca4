import { actionOf, type By, EscapementError } from '@escapement/core';
import { parseGroupRoles } from '@escapement/core/rights';
import { auditEntries, findToken, listTokens, listUsers, openDatabase } from '@escapement/store';
import { afterFile, asUser, by, testDatabase } from '@escapement/testkit';
import { expect, test } from 'vitest';
import {
  createToken,
  createUser,
  deleteUser,
  disableUser,
  enableUser,
  principalOfSession,
  principalOfToken,
  principalOfUser,
  revokeToken,
  saveTask,
  setPassword,
  signIn,
  signInByProvider,
  signOut,
  triggerTask,
} from '../src/index.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'access test' });
const other = openDatabase({ url, namespace: 'other', applicationName: 'access test' });
afterFile(() => Promise.all([db.close(), other.close()]));
const ANN = by('ann', 'for the pipeline');
const handler = { type: 'http', url: 'https://x.example/' } as const;
for (const name of ['shop', 'mail'])
  await saveTask(db, { name, handler, labels: { team: name } }, { source: 'test', by: ANN });

const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'done',
    (error) => (error instanceof EscapementError ? error.code : error),
  );

async function acting(token: string, where = db): Promise<By> {
  const { principal, grants } = await principalOfToken(where, token, '10.0.0.7');
  return { ...actionOf(principal), grants };
}

test('a token is shown once, acts as what it was made for, and is in the audit without itself', async () => {
  const made = await createToken(db, { name: 'ci', role: 'operator', scope: 'team=shop' }, ANN);
  expect(made.token).toMatch(/^esc_[0-9a-f]{16}_[\w-]{43}$/);
  const who = await acting(made.token);
  expect(who.principal).toEqual({ kind: 'token', id: made.id, name: 'ci', address: '10.0.0.7' });
  await triggerTask(db, 'shop', { by: who });
  expect(await codeOf(triggerTask(db, 'mail', { by: who }))).toBe('not_allowed');
  expect(await auditEntries(db, { token: made.id })).toMatchObject([
    { action: 'create', reason: 'for the pipeline', detail: { name: 'ci', role: 'operator', scope: 'team=shop' } },
  ]);
  const secret = made.token.split('_').slice(2).join('_');
  const { rows } = await db.pool.query<{ text: string }>(
    `SELECT t::text AS text FROM access_token t UNION ALL SELECT a::text FROM audit a`,
  );
  expect(rows.filter(({ text }) => text.includes(secret))).toEqual([]);
  expect(await listTokens(db)).toMatchObject([{ name: 'ci', lastUsedAt: expect.any(Date), revokedAt: null }]);
  expect(await listTokens(other)).toEqual([]);
});

test('a forged, foreign or cut token is answered in the same words', async () => {
  const { token, id } = await createToken(db, { name: 'real', role: 'admin' }, ANN);
  const forged = [
    `esc_${id}_${'A'.repeat(43)}`,
    `esc_${'0'.repeat(16)}_${token.slice(-43)}`,
    token.slice(0, -1),
    `${token}x`,
    '',
    `esc_${id}' OR '1'='1_${token.slice(-43)}`,
    'x'.repeat(1_000_000),
  ];
  for (const text of forged)
    await expect(principalOfToken(db, text, null)).rejects.toMatchObject({
      code: 'bad_token',
      message: 'the token is none of this namespace',
    });
  await expect(principalOfToken(other, token, null)).rejects.toMatchObject({ code: 'bad_token' });
});

test('a revoked or expired token counts no more, from that moment on', async () => {
  const { token, id } = await createToken(db, { name: 'short', role: 'admin', lifeMs: 60_000 }, ANN);
  await acting(token);
  await db.pool.query(`UPDATE access_token SET expires_at = now() - interval '1 ms' WHERE id = $1`, [id]);
  expect(await codeOf(acting(token))).toBe('token_expired');
  expect((await findToken(db, id))?.isExpired).toBe(true);
  const revoked = await createToken(db, { name: 'revoked', role: 'admin', lifeMs: null }, ANN);
  await revokeToken(db, revoked.id, by('bob'));
  expect(await codeOf(acting(revoked.token))).toBe('token_revoked');
  expect(await codeOf(acting(revoked.token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))))).toBe('bad_token');
  expect(await codeOf(revokeToken(db, revoked.id, ANN))).toBe('unknown_token');
  await createToken(db, { name: 'revoked', role: 'viewer' }, ANN);
  expect(await codeOf(createToken(db, { name: 'revoked', role: 'viewer' }, ANN))).toBe('name_taken');
});

test('only an admin of all makes tokens and users; a token makes none for more than its own namespace', async () => {
  for (const granted of [{ role: 'editor' }, { role: 'admin', scope: 'team=shop' }] as const) {
    const { token } = await createToken(db, { name: `by ${granted.role}`.replace(' ', '-'), ...granted }, ANN);
    const who = await acting(token);
    expect(await codeOf(createToken(db, { name: 'more', role: 'viewer' }, who))).toBe('not_allowed');
    expect(await codeOf(createUser(db, { name: 'eve', role: 'viewer', password: 'long enough it is' }, who))).toBe(
      'not_allowed',
    );
    expect(await codeOf(createToken(other, { name: 'more', role: 'viewer' }, who))).toBe('not_allowed');
  }
});

test.each([
  ['a name', { name: 'a b' }, 'bad_name'],
  ['a huge name', { name: 'a'.repeat(100_000) }, 'bad_name'],
  ['the name of a person', { name: 'root@db1' }, 'bad_name'],
  ['SQL', { name: `a'; DROP TABLE run; --` }, 'bad_name'],
  ['a selector', { scope: 'team' }, 'bad_selector'],
  ['no life', { lifeMs: 0 }, 'bad_expiry'],
  ['no number', { lifeMs: Number.NaN }, 'bad_expiry'],
  ['a thousand years', { lifeMs: 1000 * 365 * 86_400_000 }, 'bad_expiry'],
])('%s that is none is refused', async (_, more, code) => {
  expect(await codeOf(createToken(db, { name: 'a', role: 'viewer', ...more }, ANN))).toBe(code);
});

test('a user signs in by name and password, and by nothing else', async () => {
  await createUser(db, { name: 'ann', role: 'editor', rights: ['shell'], password: 'correct horse' }, ANN);
  const login = (name: string, password: string, where = db) => principalOfUser(where, { name, password }, null);
  expect(await login('ann', 'correct horse')).toMatchObject({
    principal: { kind: 'user', name: 'ann' },
    grants: [{ role: 'editor', rights: ['shell'], namespace: 'default', selector: null }],
  });
  for (const [name, password] of [
    ['ann', 'wrong horse!'],
    ['eve', 'correct horse'],
    ['ann', ''],
    ['', ''],
  ] as const)
    await expect(login(name, password)).rejects.toMatchObject({
      code: 'bad_login',
      message: 'name or password is wrong',
    });
  expect(await codeOf(login('ann', 'correct horse', other))).toBe('bad_login');
  await setPassword(db, 'ann', 'another battery', ANN);
  expect(await codeOf(login('ann', 'correct horse'))).toBe('bad_login');
  expect(await codeOf(createUser(db, { name: 'ann', role: 'viewer', password: 'correct horse' }, ANN))).toBe(
    'name_taken',
  );
  expect(await listUsers(db)).toMatchObject([{ name: 'ann', role: 'editor', createdBy: 'ann' }]);
  expect(await codeOf(deleteUser(other, 'ann', ANN))).toBe('unknown_user');
  await deleteUser(db, 'ann', ANN);
  expect(await codeOf(login('ann', 'another battery'))).toBe('bad_login');
  expect((await auditEntries(db, { user: 'ann' })).map(({ action }) => action)).toEqual([
    'delete',
    'set password',
    'create',
  ]);
});

test('the role of the API suffices to sign in, to act, and to sign out', async () => {
  const api = openDatabase({ url: asUser(url, 'api'), applicationName: 'access test' });
  afterFile(() => api.close());
  await createUser(api, { name: 'carl', role: 'viewer', password: 'correct horse' }, ANN);
  const now = new Date('2026-11-24T12:00:00Z');
  const asked = { name: 'carl', password: 'correct horse', address: '10.0.0.1', now, requestId: null, before: null };
  const { secret } = await signIn(api, asked);
  const later = new Date('2026-11-24T12:05:00Z');
  const found = () => principalOfSession(api, secret, { address: '10.0.0.1', now: later });
  expect((await found()).principal.name).toBe('carl');
  await signOut(api, secret, { now: later, by: by('carl') });
  expect(await codeOf(found())).toBe('session_over');
  expect(await codeOf(signIn(api, { ...asked, password: 'wrong horse' }))).toBe('bad_login');
});

test('the role of the API suffices for whom an OpenID provider has proven', async () => {
  const api = openDatabase({ url: asUser(url, 'api'), applicationName: 'access test' });
  afterFile(() => api.close());
  const groupRoles = parseGroupRoles('[{"group":"ops","role":"operator"},{"group":"look","role":"viewer"}]');
  const now = new Date('2026-11-24T12:00:00Z');
  const come = (...groups: string[]) => {
    const identity = { issuer: 'https://id.example', subject: 'sub-eve', name: 'eve', groups };
    return signInByProvider(api, { identity, groupRoles, address: '10.0.0.1', now, requestId: null, before: null });
  };
  expect((await come('ops')).grants).toMatchObject([{ role: 'operator' }]);
  expect((await come('look')).grants).toMatchObject([{ role: 'viewer' }]);
  expect(await codeOf(come())).toBe('no_group_role');
  expect((await come('ops')).principal.name).toBe('eve');
  await disableUser(api, 'eve', ANN);
  expect(await codeOf(come('ops'))).toBe('user_disabled');
  await enableUser(api, 'eve', ANN);
  expect(await codeOf(come('ops'))).toBe('done');
  expect(await codeOf(setPassword(api, 'eve', 'correct horse battery', ANN))).toBe('user_of_provider');
});
