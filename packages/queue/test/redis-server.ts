import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { startRedis } from '@escapement/servers';
import { testServers } from '@escapement/testkit';
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

/** Like testkit's, but of a test instead of a file: many tests here break theirs. */
export async function ownRedis(...settings: string[]): Promise<OwnRedis> {
  const { redisProgram, home } = testServers();
  const launch = (port: number) =>
    startRedis(redisProgram, { dir: join(home, `queue-${randomUUID()}`), port, ephemeral: true, settings });
  let server = await launch(0);
  const { url, port } = server;
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  onTestFinished(async () => {
    client.disconnect();
    await server.crash();
  });
  return {
    url,
    client,
    kill: () => server.crash(),
    async start() {
      server = await launch(port);
    },
    freeze: () => void process.kill(server.pid, 'SIGSTOP'),
    thaw: () => void process.kill(server.pid, 'SIGCONT'),
  };
}
