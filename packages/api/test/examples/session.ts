import { createUser } from '@escapement/operations';
import { by } from '@escapement/testkit';
import type { Example, Fixture } from '../examples.ts';

const password = 'correct horse';
const headers = { origin: 'http://localhost' };

async function signing({ db, name }: Fixture): Promise<Example> {
  const user = `user-of-${name}`;
  await createUser(db, { name: user, password, role: 'viewer' }, by('root'));
  return { headers, body: { name: user, password } };
}

/** Made in a browser. */
async function signedIn(of: Fixture): Promise<Example> {
  const answer = await of.ask({ method: 'POST', path: '/v1/session', ...(await signing(of)) }, null);
  const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
  return { headers, cookie };
}

export const SESSION_EXAMPLES: Record<string, (of: Fixture) => Promise<Example>> = {
  createSession: signing,
  getSession: signedIn,
  deleteSession: signedIn,
};
