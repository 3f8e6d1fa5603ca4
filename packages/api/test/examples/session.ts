import { systemClock } from '@escapement/core';
import { createSignInCode, createUser } from '@escapement/operations';
import { by } from '@escapement/testkit';
import type { Example, Fixture } from '../example.ts';
import type { TestProvider } from '../oidc/provider.ts';

const password = 'correct horse';
const headers = { origin: 'http://localhost' };

async function signing({ db, name }: Fixture): Promise<Example> {
  const user = `user-of-${name}`;
  await createUser(db, { name: user, password, role: 'viewer' }, by('root'));
  return { headers, body: { name: user, password } };
}

/** Somebody has the link of a user. */
async function withCode({ db, name }: Fixture): Promise<Example> {
  const user = `linked-${name}`;
  await createUser(db, { name: user, password, role: 'viewer' }, by('root'));
  return { headers, body: { code: await createSignInCode(db, user, { now: systemClock.now(), by: by('root') }) } };
}

/** Made in a browser. */
async function signedIn(of: Fixture): Promise<Example> {
  const answer = await of.ask({ method: 'POST', path: '/v1/session', ...(await signing(of)) }, null);
  const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
  return { headers, cookie };
}

/** Somebody has been at the provider, and comes back. */
async function comesBack({ ask, provider }: Fixture): Promise<Example> {
  const begun = await ask({ path: '/v1/session/oidc' }, null);
  const [cookie = ''] = String(begun.headers['set-cookie']).split(';');
  const back = await requireProvider(provider).visit(String(begun.headers.location), 'sub-ann');
  return { query: Object.fromEntries(back.searchParams), headers: { cookie } };
}

function requireProvider(provider: TestProvider | undefined): TestProvider {
  if (provider) return provider;
  throw new Error('the fixture has no provider');
}

export const SESSION_EXAMPLES: Record<string, (of: Fixture) => Promise<Example>> = {
  createSession: signing,
  createSessionByCode: withCode,
  listSignInWays: () => Promise.resolve({}),
  getSession: signedIn,
  deleteSession: signedIn,
  beginOidcSignIn: () => Promise.resolve({ query: { returnTo: '/tasks' } }),
  endOidcSignIn: comesBack,
};
