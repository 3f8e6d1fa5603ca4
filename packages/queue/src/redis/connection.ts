import { setTimeout as sleep } from 'node:timers/promises';
import { EscapementError, SECOND, systemClock } from '@escapement/core';
import { Redis } from 'ioredis';
import { createErrorLimit } from './error-limit.ts';
import { checkNamespace } from './keys.ts';
import { impatientOptions, type RedisOptions } from './redis-options.ts';
import { describeServer } from './redis-server.ts';

/** A connection for commands that want an answer now. Made by `connectRedis`. */
export interface RedisConnection {
  readonly namespace: string;
  /** Where it goes, without the password. */
  readonly description: string;
  /** Milliseconds of a round trip. Rejects with `redis_unreachable` within the command's time limit. */
  ping(): Promise<number>;
  /** Ends the connection at once; commands still under way reject. */
  close(): Promise<void>;
}

/** What the rest of this package sees of a connection. */
interface Open {
  client: Redis;
  options: RedisOptions;
  report: (error: Error) => void;
  lastError: Error | undefined;
}

const opened = new WeakMap<RedisConnection, Open>();

/** Connects in the background and reconnects for ever. Throws only on a bad URL or namespace. */
export function connectRedis(options: RedisOptions): RedisConnection {
  const namespace = checkNamespace(options.namespace);
  const client = new Redis(impatientOptions(options));
  const report = createErrorLimit(options.onError);
  const open: Open = { client, options, report, lastError: undefined };
  client.on('error', (error) => {
    open.lastError = error;
    report(REFUSED.test(error.message) ? toRefusal(connection, error) : error);
  });
  client.on('close', () => options.onAway?.(true));
  client.on('ready', () => {
    open.lastError = undefined;
    options.onAway?.(false);
  });
  const connection: RedisConnection = {
    namespace,
    description: describeServer(options),
    async ping() {
      const startedMs = systemClock.monotonicMs();
      await answered(connection, client.ping());
      return systemClock.monotonicMs() - startedMs;
    },
    async close() {
      client.disconnect();
    },
  };
  opened.set(connection, open);
  return connection;
}

export function openOf(connection: RedisConnection): Open {
  const open = opened.get(connection);
  if (!open) throw new TypeError('not a connection made by connectRedis');
  return open;
}

/** The reply of a command, or an error that says which Redis does not answer and why. */
export async function answered<Reply>(connection: RedisConnection, reply: Promise<Reply>): Promise<Reply> {
  try {
    return await reply;
  } catch (error) {
    throw toUnreachable(connection, error);
  }
}

/** Errors that Redis itself answered (OOM, NOAUTH, READONLY) begin with a word in capitals. */
const ANSWER = /^[A-Z]{3,} /;

/** Whether Redis itself answered with this error. */
export function isAnswer(error: unknown): boolean {
  return error instanceof Error && ANSWER.test(error.message);
}

/** How Redis says that it knows neither user nor password, or that the user may not do this. */
const REFUSED = /^(NOAUTH|WRONGPASS|NOPERM) /;

/** Whether Redis refuses the user: no command will get another answer until somebody corrects the URL or the rights. */
function isRefusal(error: unknown): boolean {
  return error instanceof EscapementError && error.code === 'redis_refused';
}

function toRefusal({ description }: RedisConnection, error: Error): EscapementError {
  const [, word = ''] = REFUSED.exec(error.message) ?? [];
  const [what, fix] =
    word === 'NOPERM'
      ? [
          `lacks a right for its user: ${error.message}`,
          'give the user its rights: docs/how-to/run-a-fleet.md has the rules',
        ]
      : word === 'WRONGPASS'
        ? ['does not know this user and password', 'correct both in the URL: redis://user:password@host:6379']
        : ['asks for a password, and the URL has none', 'write it into the URL: redis://user:password@host:6379'];
  return new EscapementError('redis_refused', `Redis at ${description} ${what}`, { fix, cause: error });
}

function toUnreachable(connection: RedisConnection, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { lastError, client } = openOf(connection);
  const refused = [error, ...(client.status === 'ready' || !lastError ? [] : [lastError])].find(({ message }) =>
    REFUSED.test(message),
  );
  if (refused) return toRefusal(connection, refused);
  if (isAnswer(error)) return error;
  const why = client.status === 'ready' ? error.message : (lastError?.message ?? 'the connection broke');
  return new EscapementError('redis_unreachable', `Redis at ${connection.description} does not answer: ${why}`, {
    fix: 'is it running, and is the address right? It is tried again all the time',
    cause: error,
  });
}

export interface RedisWait {
  /** 1 for the first try that failed. */
  attempt: number;
  error: Error;
  retryInMs: number;
}

/** Resolves when Redis answers. Tells `onWait` of each try that failed; rejects with `redis_refused`, and when `signal` aborts. */
export async function waitForRedis(
  connection: RedisConnection,
  options: { signal?: AbortSignal; onWait?: (wait: RedisWait) => void } = {},
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    options.signal?.throwIfAborted();
    try {
      await connection.ping();
      return;
    } catch (error) {
      if (isRefusal(error)) throw error;
      const retryInMs = Math.min(125 * 2 ** Math.min(attempt, 10), 2 * SECOND);
      options.onWait?.({ attempt, error: toError(error), retryInMs });
      await sleep(retryInMs, undefined, options.signal ? { signal: options.signal } : {});
    }
  }
}

export function toError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value));
}
