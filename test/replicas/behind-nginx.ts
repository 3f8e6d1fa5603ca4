import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { createToken } from '@escapement/operations';
import { freePort } from '@escapement/servers';
import { type Database, openDatabase } from '@escapement/store';
import {
  afterFile,
  asUser,
  by,
  certificates,
  type NodeProcess,
  spawnNode,
  startNginx,
  testDatabase,
} from '@escapement/testkit';

const START_MS = 45_000;
const NAME = 'escapement.example';
/** Where requests come from: not from the proxy's own address. */
export const CALLER = '127.0.0.2';

/** Two replicas of the API behind an nginx. */
export interface Replicas {
  db: Database;
  /** Through the proxy. Resolves with the head of the answer. */
  ask(path: string, options?: RequestOptions, body?: object): Promise<IncomingMessage>;
  /** SIGKILL to the replica of this place, 0 or 1. */
  kill(place: number): Promise<void>;
  /** Starts one again that was killed; resolves once it listens. */
  restart(place: number): Promise<void>;
  /** The port of plain HTTP. */
  plain: number;
  /** A header with a token of an admin. */
  bearer: { authorization: string };
  origin: string;
}

/** Starts them, with the file of deploy/nginx. All end after the test file. */
export async function replicasBehindNginx(): Promise<Replicas> {
  const { url } = await testDatabase();
  const db = openDatabase({ url, applicationName: 'test' });
  afterFile(() => db.close());
  const { files, ca } = await certificates(NAME);
  const [tls = 0, plain = 0, ...ports] = await Promise.all([0, 0, 0, 0].map((port) => freePort(port)));
  const start = async (port: number): Promise<NodeProcess> => {
    const replica = startReplica(port, { url, tls });
    await replica.waitForLine('the API listens', START_MS);
    return replica;
  };
  const replicas = await Promise.all(ports.map(start));
  await startNginx(configuration({ tls, plain, ports, files }), tls);
  const { token } = await createToken(db, { name: 'test', role: 'admin' }, by('root'));
  return {
    ...{ db, plain, bearer: { authorization: `Bearer ${token}` }, origin: `https://${NAME}:${tls}` },
    async kill(place) {
      await replicas[place]?.kill();
    },
    async restart(place) {
      replicas[place] = await start(ports[place] ?? 0);
    },
    ask: (path, { headers, ...options } = {}, body) =>
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
      }),
  };
}

function startReplica(port: number, { url, tls }: { url: string; tls: number }): NodeProcess {
  return spawnNode(new URL('../../apps/api/src/main.ts', import.meta.url), {
    env: {
      DATABASE_URL: asUser(url, 'api'),
      ESCAPEMENT_API_PORT: String(port),
      ESCAPEMENT_API_HOSTS: `${NAME}:${tls}`,
      ESCAPEMENT_API_TRUSTED_PROXIES: '127.0.0.1',
      ESCAPEMENT_HEALTH_PORT: 'off',
    },
  });
}

interface Placed {
  tls: number;
  plain: number;
  /** Of the replicas. */
  ports: readonly number[];
  files: { cert: string; key: string };
}

function configuration({ tls, plain, ports: [first, second], files }: Placed): string {
  return readFileSync(new URL('../../deploy/nginx/escapement.conf', import.meta.url), 'utf8')
    .replace('listen 443 ssl', `listen 127.0.0.1:${tls} ssl`)
    .replace('listen 80', `listen 127.0.0.1:${plain}`)
    .replace('/etc/nginx/tls/escapement.pem', files.cert)
    .replace('/etc/nginx/tls/escapement.key', files.key)
    .replace(':4747', `:${first}`)
    .replace(':4748', `:${second}`);
}
