import { type Clock, SECOND, systemClock } from '@escapement/core/basics';
import type { RedisOptions as IoRedisOptions } from 'ioredis';
import { LEASES_COMMAND } from '../lease/lease-scripts.ts';
import { type RedisServer, redisTarget } from './redis-server.ts';

export interface RedisOptions extends RedisServer {
  /** Part of every key, so that several fleets can share one Redis. */
  namespace: string;
  /** Hears of connection errors, at a bounded rate: each message once in 10 s, at most two in a second. */
  onError?: ((error: Error) => void) | undefined;
  /** Told true when the connection is lost or a try to connect fails, false when Redis answers again. Of `connectRedis` alone. */
  onAway?: ((away: boolean) => void) | undefined;
  /** How long a command may take before it fails. Default 5 s. */
  commandTimeoutMs?: number | undefined;
}

const DEFAULT_COMMAND_TIMEOUT_MS = 5 * SECOND;

/** ioredis waits this long at most between two tries; its own 20 s (BullMQ's) would be felt after each outage. */
const MAX_RETRY_MS = 2 * SECOND;

/** A sentinel that does not answer must not keep us from asking the next one. */
const SENTINEL_TIMEOUT_MS = 2 * SECOND;

/** Replies in the shapes that BullMQ knows. */
type Settings = IoRedisOptions & { replyMapping: 'legacy' };

/** All that a connection itself needs: it knows nothing of keys. */
type ConnectOptions = Omit<RedisOptions, 'namespace'>;

/** What all connections have in common. */
function commonOptions(options: ConnectOptions): Settings {
  return {
    replyMapping: 'legacy',
    ...redisTarget(options),
    retryStrategy: retryMs,
    sentinelRetryStrategy: retryMs,
    sentinelCommandTimeout: SENTINEL_TIMEOUT_MS,
    reconnectOnError: reconnectForWrites(),
    // A link that was cut silently: commands wait for an answer, and no byte comes.
    socketTimeout: options.commandTimeoutMs ?? DEFAULT_COMMAND_TIMEOUT_MS,
    connectTimeout: 5 * SECOND,
    disconnectTimeout: 500,
    noDelay: true,
  };
}

function retryMs(times: number): number {
  return Math.min(50 * 2 ** Math.min(times, 10), MAX_RETRY_MS);
}

/** It is a replica now, or a primary without the replicas that it needs (`min-replicas-to-write`). */
const TAKES_NO_WRITES = /^(READONLY|NOREPLICAS)/;

/**
 * After a failover a connection may talk to what is no primary any more, and has to look for the primary again. Where
 * the same server answers again it would reconnect for each command: it does so only every two seconds.
 */
export function reconnectForWrites(clock: Clock = systemClock): (error: Error) => boolean {
  let lastMs = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (!TAKES_NO_WRITES.test(error.message) || clock.monotonicMs() - lastMs < MAX_RETRY_MS) return false;
    lastMs = clock.monotonicMs();
    return true;
  };
}

/**
 * For callers who want an answer now, if only an error: each command has a time limit, and while Redis is away what
 * waits for it is refused at each try to reconnect, 2 s apart at most. Memory stays bounded.
 */
export function impatientOptions(options: ConnectOptions): Settings {
  return {
    ...commonOptions(options),
    commandTimeout: options.commandTimeoutMs ?? DEFAULT_COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableAutoPipelining: true,
    // Gathered already: a pipeline of one command would only cost.
    autoPipeliningIgnoredCommands: [LEASES_COMMAND],
  };
}

/** For BullMQ's workers and for subscribers: commands wait until Redis is back. */
export function patientOptions(options: ConnectOptions): Settings {
  return { ...commonOptions(options), maxRetriesPerRequest: null };
}
