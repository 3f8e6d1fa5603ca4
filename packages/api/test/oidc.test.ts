import { HOUR, MINUTE } from '@escapement/core';
import { createUser, deleteUser, disableUser, enableUser } from '@escapement/operations';
import { auditEntries, findUser, grantsOf, listUsers } from '@escapement/store';
import { by, ManualClock } from '@escapement/testkit';
import { beforeEach, expect, test } from 'vitest';
import { type Answer, type TestApi, testApi } from './api.ts';
import { startProvider } from './oidc/provider.ts';

const clock = new ManualClock('2026-11-24T12:00:00Z');
const [provider, elsewhere] = await Promise.all([startProvider(), startProvider()]);
const one = await testApi('default', 'own', clock, provider.settings);
const two = await testApi('default', 'own', clock, provider.settings);
const { db, errors } = one;

const ANN = { 'sub-ann': { preferred_username: 'ann', email: 'ann@example.com', groups: ['ops', 'others'] } };

beforeEach(async () => {
  await provider.know(ANN);
  await elsewhere.know(ANN);
  await db.pool.query('DELETE FROM sign_in_count');
  await db.pool.query('DELETE FROM access_session');
  await db.pool.query('DELETE FROM access_user');
});

const PATH = '/v1/session/oidc';
const cookiesOf = ({ headers }: Answer) => [headers['set-cookie'] ?? []].flat().map(String);
const cookieNamed = (answer: Answer, name: string) =>
  cookiesOf(answer)
    .map((line) => line.split(';')[0] ?? '')
    .find((pair) => pair.startsWith(`${name}=`)) ?? '';
const sessionOf = (answer: Answer) => cookieNamed(answer, '__Host-escapement');
const told = ({ status, body }: Answer) => [status, body?.code];

interface Begun {
  cookie: string;
  url: URL;
}

async function begin({
  api = one,
  returnTo,
  session,
}: {
  api?: TestApi;
  returnTo?: string;
  session?: string;
} = {}): Promise<Begun> {
  const answer = await api.ask(
    {
      path: PATH,
      ...(returnTo === undefined ? {} : { query: { returnTo } }),
      ...(session === undefined ? {} : { headers: { cookie: session } }),
    },
    null,
  );
  expect([answer.status, answer.text]).toEqual([303, '']);
  return { cookie: cookieNamed(answer, '__Host-escapement-sign-in'), url: new URL(String(answer.headers.location)) };
}

const end = (url: URL, cookie: string | null, api: TestApi = one) =>
  api.ask({ path: `${url.pathname}${url.search}`, headers: cookie === null ? {} : { cookie } }, null);

async function signIn(subject = 'sub-ann', given: Parameters<typeof begin>[0] = {}): Promise<Answer> {
  const { cookie, url } = await begin(given);
  return end(await provider.visit(url.href, subject), cookie, given.api);
}

const me = async (cookie: string) => one.ask({ path: '/v1/me', headers: { cookie } }, null);
const changed = (url: URL, name: string, value: string | null) => {
  const other = new URL(url);
  if (value === null) other.searchParams.delete(name);
  else other.searchParams.set(name, value);
  return other;
};

const REFUSED = [401, 'oidc_refused'];

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

test('an ID token that has expired is refused', async () => {
  const late = await startProvider({ clockOffsetMs: -3 * HOUR });
  await late.know(ANN);
  const api = await testApi('default', 'own', clock, late.settings);
  const { cookie, url } = await begin({ api });
  expect(told(await end(await late.visit(url.href, 'sub-ann'), cookie, api))).toEqual(REFUSED);
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

test('groups count at each sign-in: rights that are lost are lost in all sessions, with the last group all sessions end', async () => {
  const first = sessionOf(await signIn());
  const grants = async (cookie: string) => (await me(cookie)).body.grants;
  await provider.know({ 'sub-ann': { preferred_username: 'ann', groups: 'cn=shop,dc=example' } });
  const second = sessionOf(await signIn());
  const shop = [expect.objectContaining({ role: 'editor', rights: ['shell'] })];
  expect([await grants(first), await grants(second)]).toEqual([shop, shop]);
  const [user] = await listUsers(db);
  expect(user).toMatchObject({ role: 'editor', rights: ['shell'], scope: 'team=shop' });

  await provider.know({ 'sub-ann': { preferred_username: 'ann', groups: ['others'] } });
  const refused = await signIn();
  expect([...told(refused), sessionOf(refused)]).toEqual([403, 'no_group_role', '']);
  expect([told(await me(first)), told(await me(second))]).toEqual([
    [401, 'session_over'],
    [401, 'session_over'],
  ]);
  const entries = await auditEntries(db, { user: 'ann' });
  expect(entries.slice(0, 2)).toMatchObject([
    { action: 'sign in', refused: true, detail: { why: 'no group that has a role', subject: 'sub-ann' } },
    { action: 'disable', refused: false, detail: { why: 'no-group' } },
  ]);
  expect(entries.find(({ action }) => action === 'grant')).toMatchObject({
    before: { role: 'operator' },
    after: { role: 'editor', scope: 'team=shop' },
  });

  await provider.know(ANN);
  const back = sessionOf(await signIn());
  expect(await grants(back)).toMatchObject([{ role: 'operator', rights: [] }]);
  expect((await listUsers(db)).map(({ id, disabled }) => [id, disabled])).toEqual([[user?.id, null]]);
  expect(told(await me(first))).toEqual([401, 'session_over']);
});

test.each([[undefined], [[]], ['others'], [{ ops: true }], [[{ name: 'ops' }]], [null]])(
  'whose groups are %j is let in nowhere, and is no user',
  async (groups) => {
    await provider.know({ 'sub-eve': { preferred_username: 'eve', ...(groups === undefined ? {} : { groups }) } });
    expect(told(await signIn('sub-eve'))).toEqual([403, 'no_group_role']);
    expect(await listUsers(db)).toEqual([]);
  },
);

test('a user whom an admin has disabled stays out, and their sessions are over', async () => {
  const before = sessionOf(await signIn());
  const id = (await findUser(db, 'ann'))?.id ?? '';
  await disableUser(db, 'ann', by('root'));
  expect(told(await me(before))).toEqual([401, 'session_over']);
  expect(told(await signIn())).toEqual([403, 'user_disabled']);
  // Not even by losing all groups and getting them again.
  await provider.know({ 'sub-ann': { groups: [] } });
  expect(told(await signIn())).toEqual([403, 'user_disabled']);
  await provider.know(ANN);
  expect(told(await signIn())).toEqual([403, 'user_disabled']);
  const refused = (await auditEntries(db, { user: 'ann' })).filter(
    (entry) => entry.refused && entry.principal.id === id,
  );
  expect(refused).toMatchObject([{ action: 'sign in', detail: { why: 'the user is disabled' } }]);
  // Enabled, they have rights once the provider has said which.
  await enableUser(db, 'ann', by('root'));
  expect(await grantsOf(db, { kind: 'user', id })).toEqual([]);
  expect(told(await me(before))).toEqual([401, 'session_over']);
  expect((await me(sessionOf(await signIn()))).status).toBe(200);
  expect(await grantsOf(db, { kind: 'user', id })).toMatchObject([{ role: 'operator' }]);
});

test('a name or an address is nobody: who is called as another user gets a user of their own', async () => {
  await createUser(db, { name: 'ann', role: 'admin', password: 'correct horse battery' }, by('root'));
  await createUser(db, { name: 'ann@example.com', role: 'admin', password: 'correct horse battery' }, by('root'));
  await provider.know({
    'sub-ann': { preferred_username: 'ann', groups: ['ops'] },
    'sub-mallory': { preferred_username: 'ann', groups: ['ops'] },
    'sub-mail': { email: 'ann@example.com', groups: ['ops'] },
    'sub-odd': { preferred_username: '<b>\n', groups: ['ops'] },
  });
  const names: string[] = [];
  for (const subject of ['sub-ann', 'sub-mallory', 'sub-mail', 'sub-odd'])
    names.push((await me(sessionOf(await signIn(subject)))).body.principal.name);
  expect(names).toEqual([
    expect.stringMatching(/^ann-[0-9a-f]{16}$/),
    expect.stringMatching(/^ann-[0-9a-f]{16}$/),
    expect.stringMatching(/^ann@example\.com-[0-9a-f]{16}$/),
    expect.stringMatching(/^oidc-[0-9a-f]{16}$/),
  ]);
  expect(new Set(names).size).toBe(4);
  expect(await findUser(db, 'ann')).toMatchObject({ role: 'admin', issuer: null });
});

test('a user of the provider has no password: none lets them in, and none is given to them', async () => {
  await signIn();
  const login = { method: 'POST', path: '/v1/session', headers: { origin: 'http://localhost' } };
  for (const password of ['x', 'null', 'correct horse battery'])
    expect(told(await one.ask({ ...login, body: { name: 'ann', password } }, null))).toEqual([401, 'bad_login']);
  const body = { password: 'correct horse battery' };
  const change = { method: 'PUT', path: '/v1/user/password', query: { name: 'ann' }, body };
  expect(told(await one.ask(change))).toEqual([409, 'user_of_provider']);
});

test('who was deleted is a new user at the next sign-in', async () => {
  const first = sessionOf(await signIn());
  const old = (await findUser(db, 'ann'))?.id;
  await deleteUser(db, 'ann', by('root'));
  expect(told(await me(first))).toEqual([401, 'session_over']);
  expect((await signIn()).status).toBe(303);
  expect((await findUser(db, 'ann'))?.id).not.toBe(old);
});

test('a sign-in ends the session that the browser had, though its cookie does not come along from the provider', async () => {
  const before = sessionOf(await signIn());
  const after = sessionOf(await signIn('sub-ann', { session: before }));
  expect([told(await me(before)), (await me(after)).status]).toEqual([[401, 'session_over'], 200]);
});

test('two sign-ins of one new person at one moment make one user', async () => {
  const begun = await Promise.all([begin(), begin({ api: two })]);
  const backs = await Promise.all(begun.map(({ url }) => provider.visit(url.href, 'sub-ann')));
  const answers = await Promise.all(backs.map((back, at) => end(back, begun[at]?.cookie ?? '', at === 0 ? one : two)));
  expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  expect(await listUsers(db)).toHaveLength(1);
});

test('an address may fail 20 times, with attempts of its own; then the provider is not asked any more', async () => {
  for (let turn = 0; turn < 20; turn++) {
    const { cookie, url } = await begin();
    const back = new URL(`http://localhost${PATH}/callback?code=guess&iss=${provider.issuer}`);
    expect(told(await end(changed(back, 'state', url.searchParams.get('state')), cookie))).toEqual(REFUSED);
  }
  const refused = await signIn();
  expect([...told(refused), refused.headers['retry-after']]).toEqual([429, 'too_many_sign_ins', '900']);
});

test('who says no at the provider is told so, and nothing of what the provider says gets out', async () => {
  const { cookie, url } = await begin();
  const state = url.searchParams.get('state') ?? '';
  const query = new URLSearchParams({
    state,
    iss: provider.issuer,
    error: 'access_denied',
    error_description: 'secret words',
  });
  const answer = await end(new URL(`http://localhost${PATH}/callback?${query}`), cookie);
  expect(told(answer)).toEqual([401, 'oidc_denied']);
  expect(answer.text).not.toContain('secret words');
});

test('groups may be only at the UserInfo endpoint', async () => {
  const bare = await startProvider({ groupsInToken: false });
  await bare.know(ANN);
  const api = await testApi('default', 'own', clock, bare.settings);
  const { cookie, url } = await begin({ api });
  const answer = await end(await bare.visit(url.href, 'sub-ann'), cookie, api);
  expect((await me(sessionOf(answer))).body).toMatchObject({
    principal: { name: 'ann' },
    grants: [{ role: 'operator' }],
  });
});

test('a provider that is away keeps nothing from starting, and is asked again; what it has cost nobody counts', async () => {
  const gone = await startProvider();
  await gone.know(ANN);
  const api = await testApi('default', 'own', clock, gone.settings);
  const { cookie, url } = await begin({ api });
  const back = await gone.visit(url.href, 'sub-ann');
  await gone.stop();
  const answer = await end(back, cookie, api);
  expect([...told(answer), answer.headers['retry-after']]).toEqual([503, 'oidc_away', '5']);
  const { rows } = await db.pool.query('SELECT FROM sign_in_count WHERE tries > 0');
  expect(rows).toEqual([]);

  const never = await testApi('default', 'own', clock, gone.settings);
  const refused = await never.ask({ path: PATH }, null);
  expect([...told(refused), cookiesOf(refused)]).toEqual([503, 'oidc_away', []]);
  expect((await never.ask({ path: '/v1/me' })).status).toBe(200);
  expect(never.errors).toEqual([]);
});

test('a provider that calls itself otherwise, and one that does not know this client, are not used', async () => {
  const liar = await startProvider({ saysHost: 'localhost' });
  const api = await testApi('default', 'own', clock, liar.settings);
  expect(told(await api.ask({ path: PATH }, null))).toEqual([502, 'oidc_unusable']);
  const wrong = await testApi('default', 'own', clock, { ...provider.settings, clientSecret: 'another secret' });
  const { cookie, url } = await begin({ api: wrong });
  const answer = await end(await provider.visit(url.href, 'sub-ann'), cookie, wrong);
  expect(told(answer)).toEqual([502, 'oidc_unusable']);
  expect(answer.text).not.toContain('another secret');
});

test('without a provider nobody signs in at one', async () => {
  const plain = await testApi('default', 'own', clock);
  expect(told(await plain.ask({ path: PATH }, null))).toEqual([404, 'oidc_off']);
  expect(told(await plain.ask({ path: `${PATH}/callback?code=a&state=b` }, null))).toEqual([404, 'oidc_off']);
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
