import { systemClock } from '@escapement/core';
import { answered, openOf, type RedisConnection } from './connection.ts';

/** What matters of a Redis for not losing runs. */
export interface RedisReport {
  version: string;
  /** Must be `noeviction`: any other policy lets Redis drop queued runs when its memory is full. */
  maxmemoryPolicy: string;
  /** Whether writes go to the append-only file; without it a crash loses the queue (the ledger puts it back). */
  appendonly: boolean;
  /** How often in a second Redis wakes by itself. */
  hz: number;
  /** `master` or `slave`. */
  role: string;
  /** A node of a Redis Cluster. */
  cluster: boolean;
  /** Redis' clock minus this process', in milliseconds, as well as the round trip lets one tell. */
  clockOffsetMs: number;
}

/** Asks with INFO and TIME only: hosted Redis forbids CONFIG. Rejects with `redis_unreachable`. */
export async function inspectRedis(connection: RedisConnection): Promise<RedisReport> {
  const { client } = openOf(connection);
  const info = parseInfo(await answered(connection, client.info()));
  return {
    version: info.get('valkey_version') ?? info.get('redis_version') ?? 'unknown',
    maxmemoryPolicy: info.get('maxmemory_policy') ?? 'unknown',
    appendonly: info.get('aof_enabled') === '1',
    hz: Number(info.get('configured_hz') ?? info.get('hz') ?? 10),
    role: info.get('role') ?? 'unknown',
    cluster: info.get('cluster_enabled') === '1',
    clockOffsetMs: await clockOffset(connection),
  };
}

async function clockOffset(connection: RedisConnection): Promise<number> {
  const sentMs = systemClock.now().getTime();
  const [seconds, micros] = await answered(connection, openOf(connection).client.time());
  const middleMs = (sentMs + systemClock.now().getTime()) / 2;
  return Math.round(Number(seconds) * 1000 + Number(micros) / 1000 - middleMs);
}

/** The `name:value` lines of INFO. */
export function parseInfo(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0 && !line.startsWith('#')) fields.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return fields;
}
