import { EscapementError, SECOND } from '@escapement/core';
import type { RedisOptions as IoRedisOptions } from 'ioredis';

export interface RedisOptions {
  /** `redis://[user:password@]host[:port][/db]`, or `rediss://` for TLS. */
  url: string;
  /** Part of every key, so that several fleets can share one Redis. */
  namespace: string;
  /** Hears of connection errors, at a bounded rate: each message once in 10 s, at most two in a second. */
  onError?: (error: Error) => void;
  /** How long a command may take before it fails. Default 5 s. */
  commandTimeoutMs?: number;
}

export const DEFAULT_COMMAND_TIMEOUT_MS = 5 * SECOND;

/** ioredis waits this long at most between two tries; its own 20 s (BullMQ's) would be felt after each outage. */
const MAX_RETRY_MS = 2 * SECOND;

/** Replies in the shapes that BullMQ knows. */
type Settings = IoRedisOptions & { replyMapping: 'legacy' };

/** What all connections have in common. */
function commonOptions(options: RedisOptions): Settings {
  return {
    replyMapping: 'legacy',
    ...target(options.url),
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), MAX_RETRY_MS),
    // After a failover this connection may talk to what is now a replica: look for the primary again.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    // A link that was cut silently: commands wait for an answer, and no byte comes.
    socketTimeout: options.commandTimeoutMs ?? DEFAULT_COMMAND_TIMEOUT_MS,
    connectTimeout: 5 * SECOND,
    disconnectTimeout: 500,
    noDelay: true,
  };
}

/**
 * For callers who want an answer now, if only an error: each command has a time limit, and while Redis is away what
 * waits for it is refused at each try to reconnect, 2 s apart at most. Memory stays bounded.
 */
export function impatientOptions(options: RedisOptions): Settings {
  return {
    ...commonOptions(options),
    commandTimeout: options.commandTimeoutMs ?? DEFAULT_COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: true,
  };
}

/** For BullMQ's workers and for subscribers: commands wait until Redis is back. */
export function patientOptions(options: RedisOptions): Settings {
  return { ...commonOptions(options), maxRetriesPerRequest: null };
}

/** The URL without its password, for messages. */
export function describeUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`;
}

function target(text: string): Omit<IoRedisOptions, 'replyMapping'> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'redis:' && url.protocol !== 'rediss:'))
    throw new EscapementError('bad_redis_url', `"${describeUrl(text)}" is not the URL of a Redis`, {
      fix: 'redis://host:6379, or rediss://host:6379 for TLS',
    });
  const db = url.pathname.slice(1) || '0';
  if (!/^\d{1,5}$/.test(db))
    throw new EscapementError('bad_redis_url', `"${db}" is not the number of a Redis database`, {
      fix: 'redis://host:6379/0: what follows the slash is a number',
    });
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1',
    port: Number(url.port || 6379),
    db: Number(db),
    ...(url.username && { username: decodeURIComponent(url.username) }),
    ...(url.password && { password: decodeURIComponent(url.password) }),
    ...(url.protocol === 'rediss:' && { tls: { servername: url.hostname } }),
  };
}
