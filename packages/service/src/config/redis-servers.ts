import { readFileSync } from 'node:fs';
import type { Config } from './variables.ts';

/** How to get into a Redis, with the contents of the files that the configuration names. */
export interface RedisServerConfig {
  url: string;
  tls?:
    | { ca: string | undefined; cert: string | undefined; key: string | undefined; serverName: string | undefined }
    | undefined;
  sentinels?:
    | {
        addresses: { host: string; port: number }[];
        username: string | undefined;
        password: string | undefined;
      }
    | undefined;
}

interface Parts {
  url: string;
  sentinels: readonly string[] | undefined;
  username: string | undefined;
  password: string | undefined;
  ca: string | undefined;
  cert: string | undefined;
  key: string | undefined;
  serverName: string | undefined;
}

type RedisConfig = Pick<Config<'worker'>, Extract<keyof Config<'worker'>, `redis${string}` | `leaseRedis${string}`>>;

/** The Redis of the queues and that of the leases; one and the same where only one is configured. */
export function redisServers(config: RedisConfig): { queue: RedisServerConfig; leases: RedisServerConfig } {
  const queue = serverOf({
    url: config.redisUrl,
    sentinels: config.redisSentinels,
    username: config.redisSentinelUsername,
    password: config.redisSentinelPassword,
    ca: config.redisTlsCa,
    cert: config.redisTlsCert,
    key: config.redisTlsKey,
    serverName: config.redisTlsServername,
  });
  if (config.leaseRedisUrl === undefined) return { queue, leases: queue };
  const leases = serverOf({
    url: config.leaseRedisUrl,
    sentinels: config.leaseRedisSentinels,
    username: config.leaseRedisSentinelUsername,
    password: config.leaseRedisSentinelPassword,
    ca: config.leaseRedisTlsCa,
    cert: config.leaseRedisTlsCert,
    key: config.leaseRedisTlsKey,
    serverName: config.leaseRedisTlsServername,
  });
  return { queue, leases };
}

function serverOf({ url, sentinels, username, password, serverName, ...files }: Parts): RedisServerConfig {
  const tls = { ca: contentOf(files.ca), cert: contentOf(files.cert), key: contentOf(files.key), serverName };
  return {
    url,
    ...(url.startsWith('rediss:') && { tls }),
    ...(sentinels && { sentinels: { addresses: sentinels.map(addressOf), username, password } }),
  };
}

function addressOf(text: string): { host: string; port: number } {
  const { hostname, port } = new URL(`tcp://${text}`);
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };
}

function contentOf(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readFileSync(file, 'utf8');
}
