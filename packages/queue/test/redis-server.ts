import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';

/** A Redis of a test's own, which the test may flush, freeze, kill and start again on the same port. */
export interface OwnRedis {
  url: string;
  /** A plain client, to look and to meddle. */
  client: Redis;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT: connections stand, and nobody answers. */
  freeze(): void;
  thaw(): void;
}

export async function ownRedis(...settings: string[]): Promise<OwnRedis> {
  const port = await freePort();
  let server: ChildProcess | undefined;
  const client = new Redis(port, '127.0.0.1', {
    lazyConnect: true,
    retryStrategy: () => 50,
    maxRetriesPerRequest: null,
  });
  client.on('error', () => undefined);
  const redis: OwnRedis = {
    url: `redis://127.0.0.1:${port}`,
    client,
    async kill() {
      if (!server || server.exitCode !== null || server.signalCode !== null) return;
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
    },
    async start() {
      const args = [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--dir',
        '/tmp',
        '--dbfilename',
        `none-${port}.rdb`,
      ];
      server = spawn('redis-server', [...args, ...settings], { stdio: 'ignore' });
      await client.ping().catch((error) => {
        if (!/^NOAUTH/.test(error.message)) throw error;
      });
    },
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
  };
  onTestFinished(async () => {
    client.disconnect();
    await redis.kill();
  });
  await redis.start();
  return redis;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
