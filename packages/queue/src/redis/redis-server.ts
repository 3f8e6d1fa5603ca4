import { isIP } from 'node:net';
import { EscapementError } from '@escapement/core/basics';
import type { RedisOptions as IoRedisOptions } from 'ioredis';

/** Where a Redis is and how it lets one in. */
export interface RedisServer {
  /**
   * `redis://[user:password@]host[:port][/db]`, or `rediss://` for TLS. With `sentinels` the host is the name under which
   * they know the primary, and there is no port.
   */
  url: string;
  /** For `rediss://`. Default: the authorities that Node trusts, no certificate of one's own. */
  tls?: RedisTls | undefined;
  /** Who knows where the primary is. With `rediss://` they are spoken to by TLS too. */
  sentinels?: RedisSentinels | undefined;
}

export interface RedisTls {
  /** Certificates of the authorities to trust, PEM. */
  ca?: string | undefined;
  /** Our own certificate and its key, PEM. */
  cert?: string | undefined;
  key?: string | undefined;
  /** The name that the server's certificate must have. Default: the host. */
  serverName?: string | undefined;
}

export interface RedisSentinels {
  addresses: readonly { host: string; port: number }[];
  username?: string | undefined;
  password?: string | undefined;
}

type Target = Omit<IoRedisOptions, 'replyMapping'>;

const DEFAULT_PORT = 6379;

/** What ioredis needs to know to get there. Throws `EscapementError` `bad_redis_url`. */
export function redisTarget(server: RedisServer): Target {
  const url = readUrl(server.url);
  const tls = url.protocol === 'rediss:' ? tlsOptions(server.tls) : undefined;
  return {
    ...(server.sentinels ? sentinelTarget(url, server.sentinels, tls) : hostTarget(url)),
    db: databaseOf(url),
    ...(url.username && { username: decodeURIComponent(url.username) }),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    ...(tls && { tls }),
  };
}

/** The part of options that can be handed to another thread. */
export function serverOf({ url, tls, sentinels }: RedisServer): RedisServer {
  return { url, tls, sentinels };
}

/** The address without passwords, for messages. */
export function describeServer({ url: text, sentinels }: RedisServer): string {
  if (!URL.canParse(text)) return text;
  const { protocol, host, pathname } = new URL(text);
  const address = `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
  if (!sentinels) return address;
  return `${address} (by the sentinels ${sentinels.addresses.map(({ host, port }) => `${host}:${port}`).join(', ')})`;
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'redis:' || url.protocol === 'rediss:')) return url;
  throw new EscapementError('bad_redis_url', `"${describeServer({ url: text })}" is not the URL of a Redis`, {
    fix: 'redis://host:6379, or rediss://host:6379 for TLS',
  });
}

function databaseOf({ pathname }: URL): number {
  const db = pathname.slice(1) || '0';
  if (/^\d{1,5}$/.test(db)) return Number(db);
  throw new EscapementError('bad_redis_url', `"${db}" is not the number of a Redis database`, {
    fix: 'redis://host:6379/0: what follows the slash is a number',
  });
}

function hostTarget(url: URL): Target {
  return { host: plainHost(url) || '127.0.0.1', port: Number(url.port || DEFAULT_PORT) };
}

function plainHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function sentinelTarget(url: URL, sentinels: RedisSentinels, tls: Target['tls']): Target {
  const name = decodeURIComponent(url.hostname);
  if (name === '' || url.port !== '' || isIP(plainHost(url)) !== 0)
    throw new EscapementError('bad_redis_url', `"${url.host}" is not the name that sentinels have for a primary`, {
      fix: 'with sentinels: redis://mymaster, where mymaster is the name in `sentinel monitor`, without a port',
    });
  return {
    name,
    role: 'master',
    sentinels: [...sentinels.addresses],
    ...(sentinels.username && { sentinelUsername: sentinels.username }),
    ...(sentinels.password && { sentinelPassword: sentinels.password }),
    ...(tls && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}

function tlsOptions({ ca, cert, key, serverName }: RedisTls = {}): NonNullable<Target['tls']> {
  return {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(serverName && { servername: serverName }),
  };
}
