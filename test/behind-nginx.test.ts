import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { createToken, createUser, saveTask } from '@escapement/operations';
import { freePort } from '@escapement/servers';
import { openDatabase } from '@escapement/store';
import {
  afterFile,
  asUser,
  by,
  certificates,
  eventually,
  hasNginx,
  spawnNode,
  startNginx,
  testDatabase,
} from '@escapement/testkit';
import { describe, expect, test } from 'vitest';

const START_MS = 45_000;
const NAME = 'escapement.example';
/** Not that of the proxy. */
const CALLER = '127.0.0.2';
const PASSWORD = 'correct horse battery staple';

/** Two replicas behind an nginx with the file of deploy/nginx. */
async function start() {
  const { url } = await testDatabase();
  const db = openDatabase({ url, applicationName: 'test' });
  afterFile(() => db.close());
  const { files, ca } = await certificates(NAME);
  const [tls = 0, plain = 0, ...ports] = await Promise.all([0, 0, 0, 0].map((port) => freePort(port)));
  const replicas = ports.map((port) =>
    spawnNode(new URL('../apps/api/src/main.ts', import.meta.url), {
      env: {
        DATABASE_URL: asUser(url, 'api'),
        ESCAPEMENT_API_PORT: String(port),
        ESCAPEMENT_API_HOSTS: `${NAME}:${tls}`,
        ESCAPEMENT_API_TRUSTED_PROXIES: '127.0.0.1',
        ESCAPEMENT_HEALTH_PORT: 'off',
      },
    }),
  );
  await Promise.all(replicas.map((replica) => replica.waitForLine('the API listens', START_MS)));
  const [first, second] = ports;
  const config = readFileSync(new URL('../deploy/nginx/escapement.conf', import.meta.url), 'utf8')
    .replace('listen 443 ssl', `listen 127.0.0.1:${tls} ssl`)
    .replace('listen 80', `listen 127.0.0.1:${plain}`)
    .replace('/etc/nginx/tls/escapement.pem', files.cert)
    .replace('/etc/nginx/tls/escapement.key', files.key)
    .replace(':4747', `:${first}`)
    .replace(':4748', `:${second}`);
  await startNginx(config, tls);
  const { token } = await createToken(db, { name: 'test', role: 'admin' }, by('root'));

  const ask = (path: string, { headers, ...options }: RequestOptions = {}, body?: object): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const asked = request(
        {
          ...{ host: '127.0.0.1', port: tls, localAddress: CALLER, servername: NAME, ca, path, agent: false },
          ...options,
          headers: { host: `${NAME}:${tls}`, 'content-type': 'application/json', ...headers },
        },
        resolve,
      );
      asked.on('error', reject);
      asked.end(body && JSON.stringify(body));
    });
  return { db, ask, replicas, plain, bearer: { authorization: `Bearer ${token}` }, origin: `https://${NAME}:${tls}` };
}

// Left out where the program is not installed (Debian: `apt-get install nginx-light`).
describe.skipIf(!hasNginx)('behind nginx', async () => {
  const { db, ask, replicas, plain, bearer, origin } = hasNginx
    ? await start()
    : ({} as Awaited<ReturnType<typeof start>>);

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

  test('with one of two replicas killed, who watches events goes on at the other without a gap', async () => {
    // One at each.
    const watchers = [watcher(), watcher()];
    await eventually(() => expect(watchers.map(({ connections }) => connections())).toEqual([1, 1]));
    const saved: string[] = [];
    const save = async (count: number) => {
      for (let made = 0; made < count; made++) {
        const name = `saved-${saved.length}`;
        await saveTask(
          db,
          { name, handler: { type: 'http', url: 'https://shop.example/' } },
          { source: 'api', by: by('root') },
        );
        saved.push(`task:${name}`);
      }
    };
    await save(5);
    await eventually(() => {
      for (const each of watchers) expect([...each.subjects]).toEqual(expect.arrayContaining(saved));
    });
    await replicas[0]?.kill();
    await save(5);
    await eventually(() => {
      for (const each of watchers) expect([...each.subjects]).toEqual(expect.arrayContaining(saved));
    });
    expect(watchers.map(({ connections }) => connections()).toSorted()).toEqual([1, 2]);
    expect(watchers.flatMap(({ kinds }) => [...kinds])).not.toContain('resync');
    for (const each of watchers) each.stop();
  });

  /** A client that connects again with the id of the last event, as `EventSource` does. */
  function watcher() {
    const [subjects, kinds] = [new Set<string>(), new Set<string>()];
    let [connections, lastId, stopped] = [0, '', false];
    let now: IncomingMessage | undefined;
    const take = (piece: string) => {
      const fields = new Map(
        piece.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
      );
      lastId = fields.get('id') ?? lastId;
      kinds.add(fields.get('event') ?? '');
      if (fields.get('event') !== 'acts') return;
      for (const { subject } of JSON.parse(fields.get('data') ?? '[]')) subjects.add(subject);
    };
    const follow = async () => {
      while (!stopped) {
        const headers = { ...bearer, ...(lastId === '' ? {} : { 'last-event-id': lastId }) };
        now = await ask('/v1/events?topics=acts', { headers });
        expect(now.statusCode).toBe(200);
        connections++;
        let rest = '';
        try {
          for await (const chunk of now.setEncoding('utf8')) {
            const pieces = `${rest}${chunk}`.split('\n\n');
            rest = pieces.pop() ?? '';
            for (const piece of pieces) take(piece);
          }
        } catch {
          // Cut off.
        }
      }
    };
    void follow();
    const stop = () => {
      stopped = true;
      now?.destroy();
    };
    return { subjects, kinds, stop, connections: () => connections };
  }
});
