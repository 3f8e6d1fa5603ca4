import { text } from 'node:stream/consumers';
import { createUser } from '@escapement/operations';
import { by, hasNginx } from '@escapement/testkit';
import { describe, expect, test } from 'vitest';
import { CALLER, type Replicas, replicasBehindNginx } from './replicas/behind-nginx.ts';

const PASSWORD = 'correct horse battery staple';

// Left out where the program is not installed (Debian: `apt-get install nginx-light`).
describe.skipIf(!hasNginx)('behind nginx', async () => {
  const { db, ask, plain, origin } = hasNginx ? await replicasBehindNginx() : ({} as Replicas);

  test('plain HTTP is sent to TLS', async () => {
    const answer = await fetch(`http://127.0.0.1:${plain}/v1/me`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, 'https://127.0.0.1/v1/me']);
  });

  test('a browser signs in, and the audit has its address, whatever it says of itself', async () => {
    await createUser(db, { name: 'ann', password: PASSWORD, role: 'admin' }, by('root'));
    const lies = { 'x-forwarded-for': '6.6.6.6', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
    const asked = { method: 'POST', headers: { origin, ...lies } };
    const signedIn = await ask('/v1/session', asked, { name: 'ann', password: PASSWORD });
    expect([signedIn.statusCode, await text(signedIn)]).toEqual([201, expect.stringContaining('ann')]);
    const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^__Host-escapement=.*; Path=\/; .*Secure/);
    const headers = { cookie: cookie.split(';')[0], origin };
    const made = await ask(
      '/v1/tasks',
      { method: 'POST', headers },
      { name: 'by-ann', handler: { type: 'http', url: 'https://shop.example/' } },
    );
    expect([made.statusCode, await text(made)]).toEqual([201, expect.anything()]);
    const { rows } = await db.pool.query(
      `SELECT principal_address AS address FROM audit WHERE subject = 'task:by-ann'`,
    );
    expect(rows).toEqual([{ address: CALLER }]);
  });

  test('a page elsewhere is refused', async () => {
    const asked = { method: 'POST', headers: { origin: 'https://evil.example' } };
    const answer = await ask('/v1/session', asked, { name: 'ann', password: PASSWORD });
    expect([answer.statusCode, JSON.parse(await text(answer)).code]).toEqual([403, 'cross_site']);
  });
});
