import { createUser, deleteUser, disableUser, enableUser } from '@escapement/operations';
import { auditEntries, findUser, grantsOf, listUsers } from '@escapement/store';
import { by, ManualClock } from '@escapement/testkit';
import { beforeEach, expect, test } from 'vitest';
import { type TestApi, testApi } from './api.ts';
import { ANN, end as closed, begin as opened, sessionOf, told, signIn as whole } from './oidc/browser.ts';
import { startProvider } from './oidc/provider.ts';

const clock = new ManualClock('2026-11-24T12:00:00Z');
const provider = await startProvider();
const one = await testApi('default', 'own', clock, { oidc: provider.settings });
const two = await testApi('default', 'own', clock, { oidc: provider.settings });
const { db } = one;

beforeEach(async () => {
  await provider.know(ANN);
  await db.pool.query('DELETE FROM sign_in_count');
  await db.pool.query('DELETE FROM access_session');
  await db.pool.query('DELETE FROM access_user');
});

const me = async (cookie: string) => one.ask({ path: '/v1/me', headers: { cookie } }, null);
const begin = (given: Parameters<typeof opened>[1] & { api?: TestApi } = {}) => opened(given.api ?? one, given);
const end = (url: URL, cookie: string | null, api: TestApi = one) => closed(api, url, cookie);
const signIn = (subject = 'sub-ann', given: { returnTo?: string; session?: string } = {}) =>
  whole(one, provider, { subject, ...given });

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
