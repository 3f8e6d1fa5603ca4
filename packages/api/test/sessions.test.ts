import { createHash } from 'node:crypto';
import { HOUR, MINUTE } from '@escapement/core';
import { createUser, deleteUser, disableUser, enableUser, setPassword } from '@escapement/operations';
import { auditEntries } from '@escapement/store';
import { by, ManualClock } from '@escapement/testkit';
import { beforeEach, expect, test } from 'vitest';
import { type Answer, type Request, testApi } from './api.ts';

const clock = new ManualClock('2026-11-24T12:00:00Z');
const { db, ask, token, errors } = await testApi('default', 'own', clock);
const away = await testApi('other', 'own', clock);

const ORIGIN = { origin: 'http://localhost' };
const PASSWORD = 'correct horse battery';
await createUser(db, { name: 'ann', role: 'operator', password: PASSWORD }, by('root'));

beforeEach(async () => {
  await db.pool.query('DELETE FROM sign_in_count');
  await db.pool.query('DELETE FROM access_session');
});

const login = (given: { name?: string; password?: string; address?: string; cookie?: string } = {}) => {
  const { name = 'ann', password = PASSWORD, address, cookie } = given;
  const headers = { ...ORIGIN, ...(cookie === undefined ? {} : { cookie }) };
  const request: Request = { method: 'POST', path: '/v1/session', headers, body: { name, password } };
  return ask({ ...request, ...(address === undefined ? {} : { address }) }, null);
};
const fail = (address: string, name = 'ann') => login({ name, password: 'wrong', address });

const cookieIn = ({ headers }: Answer) => String(headers['set-cookie']).split(';')[0] ?? '';
const secretIn = (answer: Answer) => cookieIn(answer).split('=')[1] ?? '';
const signIn = async (user: Parameters<typeof login>[0] = {}) => cookieIn(await login(user));
const as = (cookie: string, request: Request) =>
  ask({ ...request, headers: { ...ORIGIN, cookie, ...request.headers } }, null);
const told = ({ status, body }: Answer) => [status, body?.code];
const me = async (cookie: string) => told(await as(cookie, { path: '/v1/me' }));
const save = (headers: Record<string, string>, cookie: string) =>
  ask({ method: 'POST', path: '/v1/bulk/preview', headers: { cookie, ...headers }, body: { action: 'cancel' } }, null);
const rows = async (text: string) => (await db.pool.query<Record<string, unknown>>(text)).rows;

const OVER = [401, 'session_over'];
const OK = [200, undefined];

test('a user signs in, acts as themselves, and signs out; the cookie is for this host, TLS and no script', async () => {
  const answer = await login();
  expect([answer.status, answer.body]).toEqual([
    201,
    {
      user: 'ann',
      signedInAt: '2026-11-24T12:00:00.000Z',
      idleEndsAt: '2026-11-25T00:00:00.000Z',
      endsAt: '2026-12-01T12:00:00.000Z',
    },
  ]);
  expect(answer.headers['set-cookie']).toMatch(
    /^__Host-escapement=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=604800$/,
  );
  const cookie = cookieIn(answer);
  const { body } = await as(cookie, { path: '/v1/me' });
  expect(body).toMatchObject({ principal: { kind: 'user', name: 'ann' }, grants: [{ role: 'operator' }] });
  expect((await as(cookie, { path: '/v1/session' })).body.user).toBe('ann');
  const out = await as(cookie, { method: 'DELETE', path: '/v1/session' });
  expect([out.status, out.headers['set-cookie']]).toEqual([
    200,
    expect.stringMatching(/^__Host-escapement=; .*Max-Age=0$/),
  ]);
  const actions = (await auditEntries(db, { user: 'ann' })).map(({ action }) => action);
  expect(actions.slice(0, 2)).toEqual(['sign out', 'sign in']);
});

test('neither secret nor password is kept, told again or logged', async () => {
  const answer = await login();
  const secret = secretIn(answer);
  expect(answer.text).not.toContain(secret);
  expect((await as(cookieIn(answer), { path: '/v1/session' })).text).not.toContain(secret);
  const kept = await rows('SELECT s::text AS text FROM access_session s UNION ALL SELECT a::text FROM audit a');
  expect(kept.filter(({ text }) => String(text).includes(secret) || String(text).includes(PASSWORD))).toEqual([]);
  const [session] = await rows('SELECT hash FROM access_session');
  expect(session?.hash).toEqual(createHash('sha256').update(secret).digest());
  expect(errors).toEqual([]);
});

test('a cookie that was copied is of no use after the sign-out', async () => {
  const cookie = await signIn();
  const other = await signIn();
  await as(cookie, { method: 'DELETE', path: '/v1/session' });
  expect(await me(cookie)).toEqual(OVER);
  expect(told(await as(cookie, { method: 'DELETE', path: '/v1/session' }))).toEqual(OVER);
  expect(await me(other)).toEqual(OK);
});

test('a cookie that somebody planted is not taken over, and a sign-in ends the session before', async () => {
  const planted = `__Host-escapement=${'A'.repeat(43)}`;
  const first = await signIn({ cookie: planted });
  expect(first).not.toBe(planted);
  expect(await me(planted)).toEqual(OVER);
  const second = await signIn({ cookie: first });
  expect([await me(first), await me(second)]).toEqual([OVER, OK]);
});

test.each([
  ['no origin', {}],
  ['another page', { origin: 'https://evil.example' }],
  ['another port of this machine', { origin: 'http://localhost:3000' }],
  ['a name that begins alike', { origin: 'http://localhost.evil.example' }],
  ['no page', { origin: 'null' }],
  ['a path', { origin: 'http://localhost/' }],
  ['somebody before the @', { origin: 'http://localhost@evil.example' }],
  ['two origins', { origin: 'http://localhost, http://evil.example' }],
  ['an extension', { origin: 'chrome-extension://localhost' }],
  ['another host of the site', { ...ORIGIN, 'sec-fetch-site': 'same-site' }],
  ['another site', { ...ORIGIN, 'sec-fetch-site': 'cross-site' }],
])('an act with the cookie from %s is refused, and so is a sign-in', async (_, headers) => {
  const cookie = await signIn();
  expect(told(await save(headers as Record<string, string>, cookie))).toEqual([403, 'cross_site']);
  const body = { name: 'ann', password: PASSWORD };
  const entry: Request = { method: 'POST', path: '/v1/session', headers: headers as Record<string, string>, body };
  const answer = await ask(entry, null);
  expect([...told(answer), answer.headers['set-cookie']]).toEqual([403, 'cross_site', undefined]);
});

test('an act from an own page is carried out, also behind a proxy with TLS; a token needs no page', async () => {
  const cookie = await signIn();
  for (const headers of [
    ORIGIN,
    { ...ORIGIN, 'sec-fetch-site': 'same-origin' },
    { origin: 'https://localhost' },
    { origin: 'http://localhost:4747', host: 'localhost:4747' },
  ])
    expect((await save(headers, cookie)).status).toBe(200);
  const admin = await token({});
  const foreign = { origin: 'https://evil.example', cookie };
  const request = { method: 'POST', path: '/v1/bulk/preview', body: { action: 'cancel' } };
  expect((await ask({ ...request, headers: foreign }, admin)).status).toBe(200);
});

test('a token is no cookie, a cookie no token, and two cookies are none', async () => {
  const cookie = await signIn();
  const secret = cookie.split('=')[1] ?? '';
  const admin = await token({});
  expect(await me(`__Host-escapement=${admin}`)).toEqual(OVER);
  expect(told(await ask({ path: '/v1/me' }, secret))).toEqual([401, 'bad_token']);
  expect(await me(`${cookie}; __Host-escapement=${'A'.repeat(43)}`)).toEqual(OVER);
  expect(await me(`escapement=${secret}`)).toEqual([401, 'no_token']);
  expect(await me(`__host-escapement=${secret}`)).toEqual([401, 'no_token']);
  // Whoever names a token is judged by it alone.
  expect(told(await ask({ path: '/v1/me', headers: { cookie } }, 'nonsense'))).toEqual([401, 'bad_token']);
  expect(told(await ask({ path: '/v1/session', headers: { cookie } }, admin))).toEqual([404, 'no_session']);
});

test.each(['', '=', '\u00e9', `' OR '1'='1`, 'x'.repeat(5000), '%00', '{"a":1}'])(
  'a cookie that holds %j lets nobody in',
  async (value) => {
    expect(await me(`__Host-escapement=${value}`)).toEqual(OVER);
    expect(errors).toEqual([]);
  },
);

test('nothing of a name gets into the headers of the answer', async () => {
  const answer = await login({ name: 'ann\r\nSet-Cookie: __Host-escapement=x' });
  expect([...told(answer), answer.headers['set-cookie']]).toEqual([401, 'bad_login', undefined]);
});

test('a session is over after 12 hours without a request, and after 7 days in any case', async () => {
  const idle = await signIn();
  const used = await signIn();
  clock.advance(12 * HOUR - 1);
  expect(await me(used)).toEqual(OK);
  clock.advance(1);
  expect([await me(idle), await me(used)]).toEqual([OVER, OK]);
  for (let hours = 12; hours < 7 * 24 - 6; hours += 6) {
    clock.advance(6 * HOUR);
    expect(await me(used)).toEqual(OK);
  }
  const { body } = await as(used, { path: '/v1/session' });
  expect(body.idleEndsAt).toBe(body.endsAt);
  clock.advance(6 * HOUR);
  expect(await me(used)).toEqual(OVER);
});

test('that a session is used is written once a minute', async () => {
  const cookie = await signIn();
  const seen = async () => (await rows('SELECT seen_at, xmin::text FROM access_session'))[0];
  const begun = await seen();
  clock.advance(MINUTE - 1);
  await me(cookie);
  expect(await seen()).toEqual(begun);
  clock.advance(1);
  await me(cookie);
  expect((await seen())?.seen_at).toEqual(clock.now());
});

test('a session may what its user may now; another password or a deletion ends it', async () => {
  await createUser(db, { name: 'bob', role: 'operator', password: PASSWORD }, by('root'));
  const first = await signIn({ name: 'bob' });
  await db.pool.query(`UPDATE access_user SET role = 'viewer' WHERE name = 'bob'`);
  expect((await as(first, { path: '/v1/me' })).body.grants).toMatchObject([{ role: 'viewer' }]);
  await setPassword(db, 'bob', 'another long password', by('root'));
  expect(await me(first)).toEqual(OVER);
  const second = await signIn({ name: 'bob', password: 'another long password' });
  expect(await me(second)).toEqual(OK);
  await deleteUser(db, 'bob', by('root'));
  expect(await me(second)).toEqual(OVER);
  await createUser(db, { name: 'bob', role: 'admin', password: PASSWORD }, by('root'));
  expect(await me(second)).toEqual(OVER);
});

test('a user who is disabled has no sessions and signs in nowhere, in the words of a wrong password', async () => {
  await createUser(db, { name: 'dora', role: 'operator', password: PASSWORD }, by('root'));
  const cookie = await signIn({ name: 'dora' });
  await disableUser(db, 'dora', by('root'));
  await disableUser(db, 'dora', by('root'));
  expect([await me(cookie), told(await login({ name: 'dora' }))]).toEqual([OVER, [401, 'bad_login']]);
  await enableUser(db, 'dora', by('root'));
  expect([await me(cookie), await me(await signIn({ name: 'dora' }))]).toEqual([OVER, OK]);
  const actions = (await auditEntries(db, { user: 'dora' })).map(({ action }) => action);
  expect(actions).toEqual(['sign in', 'enable', 'disable', 'sign in', 'create']);
});

test('a session is of one namespace', async () => {
  const cookie = await signIn();
  expect(told(await away.ask({ path: '/v1/me', headers: { cookie } }, null))).toEqual(OVER);
});

test('a wrong name and a wrong password are answered alike, by the same statements', async () => {
  const statements: unknown[] = [];
  const works = db.pool.query;
  const watched = (...given: unknown[]) => {
    const [first] = given;
    statements.push(typeof first === 'object' && first !== null && 'name' in first ? first.name : first);
    return Reflect.apply(works, db.pool, given);
  };
  const answers: unknown[] = [];
  for (const name of ['ann', 'nobody']) {
    db.pool.query = watched as typeof works;
    const { status, body } = await fail('10.1.0.1', name);
    db.pool.query = works;
    answers.push([status, { ...body, requestId: '' }, statements.splice(0)]);
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]).toMatchObject([401, { code: 'bad_login' }, expect.arrayContaining(['find_user'])]);
});

test('an address may fail 20 times within a quarter of an hour, at one moment too; others are not kept out', async () => {
  const answers = await Promise.all(Array.from({ length: 25 }, () => fail('10.2.0.1')));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(20).fill(401), ...Array(5).fill(429)]);
  const refused = await login({ address: '10.2.0.1' });
  expect([...told(refused), refused.headers['retry-after']]).toEqual([429, 'too_many_sign_ins', '900']);
  expect((await login({ address: '10.2.0.2' })).status).toBe(201);
  clock.advance(15 * MINUTE);
  expect((await login({ address: '10.2.0.1' })).status).toBe(201);
});

test('an address may give 300 tokens a minute that are none; one that is good is taken all the same', async () => {
  const admin = await token({});
  const wrong = () => ask({ path: '/v1/me', address: '10.5.0.1' }, 'nonsense');
  const answers = await Promise.all(Array.from({ length: 301 }, wrong));
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(300);
  const refused = await wrong();
  expect([...told(refused), refused.headers['retry-after']]).toEqual([429, 'too_many_bad_tokens', '60']);
  expect((await ask({ path: '/v1/me', address: '10.5.0.1' }, admin)).status).toBe(200);
  clock.advance(MINUTE);
  expect((await wrong()).status).toBe(401);
});

test('an IPv6 address is counted by its network', async () => {
  for (let host = 1; host <= 20; host++) await fail(`2001:db8:1:2::${host}`);
  expect((await fail('2001:db8:1:2:ffff::1')).status).toBe(429);
  expect((await fail('2001:db8:1:3::1')).status).toBe(401);
});

test('a name that many addresses try is closed for 5 minutes, not from where its user has signed in before', async () => {
  expect((await login({ address: '10.3.0.9' })).status).toBe(201);
  for (let address = 1; address <= 30; address++) await fail(`10.3.1.${address}`);
  const refused = await login({ address: '10.3.0.8' });
  expect([...told(refused), refused.headers['retry-after']]).toEqual([429, 'too_many_sign_ins', '300']);
  expect((await login({ address: '10.3.0.9' })).status).toBe(201);
  clock.advance(5 * MINUTE);
  expect((await login({ address: '10.3.0.8' })).status).toBe(201);
});

test('a sign-in that succeeds is not counted', async () => {
  for (let turn = 0; turn < 22; turn++) expect((await login({ address: '10.4.0.1' })).status).toBe(201);
}, 60_000);

test('names and addresses that are made up share a bounded number of rows', async () => {
  for (let turn = 0; turn < 20; turn++) await fail('10.5.0.1', `made-up-${turn}`);
  const counted = await rows('SELECT kind, bucket FROM sign_in_count');
  expect(counted.filter(({ kind }) => kind === 'address')).toHaveLength(1);
  for (const { kind, bucket } of counted) expect(Number(bucket)).toBeLessThan(kind === 'name' ? 4096 : 65_536);
  // A constraint keeps it so.
  await expect(db.pool.query(`INSERT INTO sign_in_count VALUES ('default', 'name', 65536, 1, now())`)).rejects.toThrow(
    /sign_in_count_bucket/,
  );
});
