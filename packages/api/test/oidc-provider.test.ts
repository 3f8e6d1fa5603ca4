import { HOUR } from '@escapement/core';
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
const provider = await startProvider();
const one = await testApi('default', 'own', clock, { oidc: provider.settings });
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

test('an ID token whose signature does not fit is refused', async () => {
  const forging = await startProvider({ forges: true });
  await forging.know(ANN);
  const api = await testApi('default', 'own', clock, { oidc: forging.settings });
  const { cookie, url } = await begin({ api });
  expect(told(await end(await forging.visit(url.href, 'sub-ann'), cookie, api))).toEqual(REFUSED);
});

test('an ID token that has expired is refused', async () => {
  const late = await startProvider({ clockOffsetMs: -3 * HOUR });
  await late.know(ANN);
  const api = await testApi('default', 'own', clock, { oidc: late.settings });
  const { cookie, url } = await begin({ api });
  expect(told(await end(await late.visit(url.href, 'sub-ann'), cookie, api))).toEqual(REFUSED);
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
  const api = await testApi('default', 'own', clock, { oidc: bare.settings });
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
  const api = await testApi('default', 'own', clock, { oidc: gone.settings });
  const { cookie, url } = await begin({ api });
  const back = await gone.visit(url.href, 'sub-ann');
  await gone.stop();
  const answer = await end(back, cookie, api);
  expect([...told(answer), answer.headers['retry-after']]).toEqual([503, 'oidc_away', '5']);
  const { rows } = await db.pool.query('SELECT FROM sign_in_count WHERE tries > 0');
  expect(rows).toEqual([]);

  const never = await testApi('default', 'own', clock, { oidc: gone.settings });
  const refused = await never.ask({ path: PATH }, null);
  expect([...told(refused), cookiesOf(refused)]).toEqual([503, 'oidc_away', []]);
  expect((await never.ask({ path: '/v1/me' })).status).toBe(200);
  expect(never.errors).toEqual([]);
});

test('a provider that calls itself otherwise, and one that does not know this client, are not used', async () => {
  const liar = await startProvider({ saysHost: 'localhost' });
  const api = await testApi('default', 'own', clock, { oidc: liar.settings });
  expect(told(await api.ask({ path: PATH }, null))).toEqual([502, 'oidc_unusable']);
  const wrong = await testApi('default', 'own', clock, {
    oidc: { ...provider.settings, clientSecret: 'another secret' },
  });
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
