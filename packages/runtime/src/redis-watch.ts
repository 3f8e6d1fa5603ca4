import { randomUUID } from 'node:crypto';
import {
  type Clock,
  EscapementError,
  identityOfRedis,
  OTHER_REDIS_MS,
  type RedisIdentity,
  SECOND,
} from '@escapement/core';
import { connectRedis, leaveIdentity, type RedisConnection, type RedisOptions, readIdentity } from '@escapement/queue';
import { createLoop, type Logger, type OnError, type Service } from '@escapement/service';
import { type Database, moveRedis, type RedisSeen, type RedisUse, redisUse } from '@escapement/store';

const EVERY_MS = 2 * SECOND;
const WAIT_MS = SECOND;

export interface RedisWatchOptions {
  db: Database;
  /** Where the queues are. */
  redis: RedisOptions;
  process: { id: string; role: 'scheduler' | 'worker' };
  clock: Clock;
  log: Logger;
  onError: OnError;
  /** Told that the other programs of the namespace use another Redis. */
  onOther: (error: EscapementError) => void;
}

/** Watches whether this program's Redis is the one that serves its namespace: runs of another one would start beside the fleet. */
export interface RedisWatch extends Service {
  /** For heartbeats, by which other programs hear of it. */
  seen(): RedisSeen;
  /** Resolves once this Redis serves the namespace; rejects with `other_redis` if others use another one. */
  admit(): Promise<void>;
}

/** What one look at both servers gave. */
interface Look {
  identity: RedisIdentity;
  usedBy: string;
}

const SAME: Look = { identity: 'same', usedBy: '' };

export function createRedisWatch(options: RedisWatchOptions): RedisWatch {
  const { db, clock, log } = options;
  // Who works with the Redis says that it is away.
  const connection = connectRedis({ ...options.redis, onError: () => undefined });
  let last: { id: string | null; atMs: number } | undefined;
  let known: string | null = null;
  let admitted = false;
  let stopped = false;
  let otherSinceMs: number | undefined;

  async function look(): Promise<Look> {
    const here = await readIdentity(connection);
    last = { id: here, atMs: clock.monotonicMs() };
    if (here !== null && here === known) return SAME;
    const use = await redisUse(db, options.process.id);
    const identity = identityOfRedis({ here, ...use, admitted });
    if (identity === 'same') known = here;
    else if (options.process.role === 'scheduler') await settle(here, use, identity);
    return { identity, usedBy: use.usedBy?.program ?? '' };
  }

  /** Schedulers alone write down which Redis it is: without one nothing is queued. */
  async function settle(here: string | null, { noted }: RedisUse, identity: RedisIdentity): Promise<void> {
    if (identity !== 'emptied' && identity !== 'moved') return;
    // A Redis that takes no writes says so to who fills its queues.
    const id = here ?? (await leaveIdentity(connection, noted ?? randomUUID()).catch(() => null));
    last = { id, atMs: clock.monotonicMs() };
    if (id === null || id === noted || !(await moveRedis(db, { from: noted, to: id }))) return;
    if (noted !== null) log.warn({ redis: connection.description }, 'another Redis serves this namespace from now on');
  }

  /** Nothing can be said while a server is away. What a person has to correct is thrown. */
  function passing(error: unknown): undefined {
    if (!(error instanceof EscapementError)) options.onError(error, { name: 'redis-watch' });
    else if (error.code !== 'redis_unreachable') throw error;
  }

  /** Milliseconds for which it has been another one. */
  function otherForMs({ identity }: Look): number {
    if (identity !== 'other') otherSinceMs = undefined;
    else otherSinceMs ??= clock.monotonicMs();
    return otherSinceMs === undefined ? 0 : clock.monotonicMs() - otherSinceMs;
  }

  async function runOnce(): Promise<number> {
    const seen = await look().catch(passing);
    if (seen && otherForMs(seen) >= OTHER_REDIS_MS) options.onOther(otherRedis(connection, seen));
    return EVERY_MS;
  }

  const loop = createLoop({ name: 'redis-watch', runOnce, onError: options.onError, clock });
  return {
    ...loop,
    seen: () => ({ id: last?.id ?? null, ageMs: last ? clock.monotonicMs() - last.atMs : null }),
    async admit() {
      while (!stopped) {
        const seen = await look().catch(passing);
        if (seen && seen.identity !== 'other') break;
        const otherMs = seen ? otherForMs(seen) : 0;
        if (seen && otherMs >= OTHER_REDIS_MS) throw otherRedis(connection, seen);
        if (seen && otherMs === 0)
          log.warn(
            { redis: connection.description, usedBy: seen.usedBy },
            'others use another Redis; waiting whether they go on',
          );
        await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      }
      admitted = true;
      otherSinceMs = undefined;
    },
    async stop() {
      stopped = true;
      await loop.stop();
      await connection.close();
    },
  };
}

function otherRedis({ namespace, description }: RedisConnection, { usedBy }: Look): EscapementError {
  return new EscapementError(
    'other_redis',
    `the Redis at ${description} is not the one that serves the namespace "${namespace}": ${usedBy} uses another one`,
    {
      fix: 'give this program the REDIS_URL of the others; to move the namespace to this Redis, stop all its programs, and start them with the new REDIS_URL',
    },
  );
}
