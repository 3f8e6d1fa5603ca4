import { MINUTE } from '@escapement/core';
import { auditEntries, listUsers } from '@escapement/store';
import { ManualClock } from '@escapement/testkit';
import { beforeEach, expect, test } from 'vitest';
import { type TestApi, testApi } from './api.ts';
import {
  ANN,
  changed,
  end as closed,
  cookiesOf,
  begin as opened,
  PATH,
  REFUSED,
  sessionOf,
  told,
  signIn as whole,
} from './oidc/browser.ts';
import { startProvider } from './oidc/provider.ts';

const clock = new ManualClock('2026-11-24T12:00:00Z');
const [provider, elsewhere] = await Promise.all([startProvider(), startProvider()]);
const one = await testApi('default', 'own', clock, { oidc: provider.settings });
const two = await testApi('default', 'own', clock, { oidc: provider.settings });
const { db, errors } = one;

beforeEach(async () => {
  await provider.know(ANN);
  await elsewhere.know(ANN);
  await db.pool.query('DELETE FROM sign_in_count');
  await db.pool.query('DELETE FROM access_session');
  await db.pool.query('DELETE FROM access_user');
});

const me = async (cookie: string) => one.ask({ path: '/v1/me', headers: { cookie } }, null);
const begin = (given: Parameters<typeof opened>[1] & { api?: TestApi } = {}) => opened(given.api ?? one, given);
const end = (url: URL, cookie: string | null, api: TestApi = one) => closed(api, url, cookie);
const signIn = (subject = 'sub-ann', given: { returnTo?: string; session?: string } = {}) =>
  whole(one, provider, { subject, ...given });

test('somebody whom the provider has proven is made a user, granted by their groups, and let in by the same cookie', async () => {
  const { cookie, url } = await begin({ returnTo: '/tasks?state=failed#list' });
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'escapement',
    redirect_uri: 'http://localhost/v1/session/oidc/callback',
    response_type: 'code',
    scope: 'openid profile email',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
  const answer = await end(await provider.visit(url.href, 'sub-ann'), cookie);
  expect([answer.status, answer.headers.location]).toEqual([303, 'http://localhost/tasks?state=failed#list']);
  expect(cookiesOf(answer)).toEqual([
    '__Host-escapement-sign-in=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0',
    expect.stringMatching(/^__Host-escapement=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=604800$/),
  ]);
  const { body } = await me(sessionOf(answer));
  expect(body).toMatchObject({ principal: { kind: 'user', name: 'ann' }, grants: [{ role: 'operator', rights: [] }] });
  expect(await listUsers(db)).toMatchObject([
    { name: 'ann', role: 'operator', createdBy: 'ann', issuer: provider.issuer, disabled: null },
  ]);
  const entries = await auditEntries(db, { user: 'ann' });
  expect(entries.slice(0, 2).map(({ action }) => action)).toEqual(['sign in', 'create']);
  expect(errors).toEqual([]);
});

test('a sign-in that began at one replica ends at another', async () => {
  const { cookie, url } = await begin();
  const answer = await end(await provider.visit(url.href, 'sub-ann'), cookie, two);
  expect(answer.status).toBe(303);
  expect((await me(sessionOf(answer))).status).toBe(200);
});

test('the cookie of a sign-in is for this host, TLS, no script and ten minutes', async () => {
  const answer = await one.ask({ path: PATH }, null);
  expect(cookiesOf(answer)).toEqual([
    expect.stringMatching(
      /^__Host-escapement-sign-in=[\w-]{43}\.\d+\.\.Lw; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
    ),
  ]);
});

test('nothing that the provider is told tells the secret or the code verifier', async () => {
  const { cookie, url } = await begin();
  const [secret = ''] = (cookie.split('=')[1] ?? '').split('.');
  expect(url.href).not.toContain(secret);
  const { state, nonce, code_challenge } = Object.fromEntries(url.searchParams);
  expect(new Set([secret, state, nonce, code_challenge]).size).toBe(4);
  const again = await begin();
  for (const name of ['state', 'nonce', 'code_challenge'])
    expect(again.url.searchParams.get(name)).not.toBe(url.searchParams.get(name));
});

test.each([
  ['another state', (url: URL) => changed(url, 'state', 'A'.repeat(43))],
  ['no state', (url: URL) => changed(url, 'state', null)],
  ['another issuer', (url: URL) => changed(url, 'iss', elsewhere.issuer)],
  ['no issuer, where the provider always names one', (url: URL) => changed(url, 'iss', null)],
  ['another code', (url: URL) => changed(url, 'code', 'made-up')],
  ['no code', (url: URL) => changed(url, 'code', null)],
])('a browser that comes back with %s is refused', async (_, change) => {
  const { cookie, url } = await begin();
  const answer = await end(change(await provider.visit(url.href, 'sub-ann')), cookie);
  expect([...told(answer), sessionOf(answer)]).toEqual([...REFUSED, '']);
  expect(await listUsers(db)).toEqual([]);
  expect(errors).toEqual([]);
});

test('a code is taken once, even with a copy of the cookie', async () => {
  const { cookie, url } = await begin();
  const back = await provider.visit(url.href, 'sub-ann');
  expect((await end(back, cookie)).status).toBe(303);
  expect(told(await end(back, cookie))).toEqual(REFUSED);
  expect(told(await end(back, cookie, two))).toEqual(REFUSED);
});

test('an ID token for another nonce is refused', async () => {
  const { cookie, url } = await begin();
  const back = await provider.visit(changed(url, 'nonce', 'A'.repeat(43)).href, 'sub-ann');
  expect(told(await end(back, cookie))).toEqual(REFUSED);
  const without = await begin();
  const bare = await provider.visit(changed(without.url, 'nonce', null).href, 'sub-ann');
  expect(told(await end(bare, without.cookie))).toEqual(REFUSED);
});

test('a code that another browser has asked for is of no use', async () => {
  const [theirs, own] = [await begin(), await begin()];
  const back = await provider.visit(theirs.url.href, 'sub-ann');
  // As somebody would who got hold of the code, and not of the cookie.
  const planted = changed(back, 'state', own.url.searchParams.get('state'));
  expect(told(await end(planted, own.cookie))).toEqual(REFUSED);
  // And with a nonce that fits: the code verifier does not.
  const asked = changed(
    changed(theirs.url, 'nonce', own.url.searchParams.get('nonce')),
    'state',
    own.url.searchParams.get('state'),
  );
  expect(told(await end(await provider.visit(asked.href, 'sub-ann'), own.cookie))).toEqual(REFUSED);
});

test('a code that another client has asked for is of no use', async () => {
  const { cookie, url } = await begin();
  const back = await provider.visit(changed(url, 'client_id', 'another').href, 'sub-ann');
  expect(told(await end(back, cookie))).toEqual(REFUSED);
});

test('a code of another provider is of no use', async () => {
  const { cookie, url } = await begin();
  const there = url.href.replace(provider.issuer, elsewhere.issuer);
  const back = await elsewhere.visit(there, 'sub-ann');
  expect(told(await end(back, cookie))).toEqual(REFUSED);
  expect(told(await end(changed(back, 'iss', provider.issuer), cookie))).toEqual(REFUSED);
});

test('without the cookie, with two of them, or after ten minutes nobody comes back', async () => {
  const { cookie, url } = await begin();
  const back = await provider.visit(url.href, 'sub-ann');
  const EXPIRED = [401, 'oidc_expired'];
  expect(told(await end(back, null))).toEqual(EXPIRED);
  expect(told(await end(back, `${cookie}; ${cookie}`))).toEqual(EXPIRED);
  const [, ...rest] = cookie.split('.');
  expect(told(await end(back, `__Host-escapement-sign-in=${'A'.repeat(43)}.${rest.join('.')}`))).toEqual(REFUSED);
  clock.advance(10 * MINUTE);
  expect(told(await end(back, cookie))).toEqual(EXPIRED);
});

test('a cookie of which anything was changed is of no use: not its time, and not where it leads', async () => {
  const { cookie, url } = await begin();
  const back = await provider.visit(url.href, 'sub-ann');
  const [secret, begunAt, before, returnTo] = cookie.split('.');
  for (const other of [
    [secret, Number(begunAt) + 1, before, returnTo],
    [secret, begunAt, before, Buffer.from('//evil.example').toString('base64url')],
    [secret, begunAt, 'A'.repeat(43), returnTo],
  ])
    expect(told(await end(back, other.join('.')))).toEqual(REFUSED);
});

test.each([
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  '/%2e//evil.example',
  'https://evil.example/',
  'http://localhost@evil.example/',
  'javascript:alert(1)',
  'evil.example',
  '',
  '/\r\nset-cookie: x=y',
  '/\u202e',
])('nobody is sent on to %j', async (returnTo) => {
  const answer = await one.ask({ path: PATH, query: { returnTo } }, null);
  expect([...told(answer), answer.headers.location, cookiesOf(answer)]).toEqual([400, 'bad_return', undefined, []]);
});

test.each([
  ['/', 'http://localhost/'],
  ['/a/../b?x=//evil.example#//y', 'http://localhost/b?x=//evil.example#//y'],
  ['/%2f%2fevil.example', 'http://localhost/%2f%2fevil.example'],
])('%j leads to %s', async (returnTo, to) => {
  const answer = await signIn('sub-ann', { returnTo });
  expect([answer.status, answer.headers.location]).toEqual([303, to]);
});

test('a page elsewhere cannot sign a browser in as somebody else', async () => {
  const theirs = await begin();
  const back = await provider.visit(theirs.url.href, 'sub-ann');
  // The victim's browser is led to the callback: without a cookie, or with one of its own.
  const own = await begin();
  expect([told(await end(back, null)), told(await end(back, own.cookie))]).toEqual([[401, 'oidc_expired'], REFUSED]);
});

test('neither code, secret nor token is kept or logged', async () => {
  const { cookie, url } = await begin();
  const back = await provider.visit(url.href, 'sub-ann');
  await end(back, cookie);
  const hidden = [cookie.split('=')[1]?.split('.')[0], back.searchParams.get('code'), provider.settings.clientSecret];
  const text = `SELECT s::text AS text FROM access_session s UNION ALL SELECT a::text FROM audit a UNION ALL SELECT u::text FROM access_user u`;
  const { rows } = await db.pool.query<{ text: string }>(text);
  expect(rows.filter((row) => hidden.some((each) => row.text.includes(String(each))))).toEqual([]);
  expect(errors).toEqual([]);
});
