import { answered, openOf, type RedisConnection } from './connection.ts';
import { leaseKeyBase, parseLeaseKey } from './keys.ts';
import { type LeaseHolder, parseHolder } from './lease-holder.ts';

export interface LeaseInRedis extends LeaseHolder {
  key: string;
  /** Milliseconds until it ends unless it is renewed. */
  expiresInMs: number;
}

/** All leases of the connection's namespace, or of one key. For people: it walks through the keys of Redis. */
export async function listLeases(connection: RedisConnection, key?: string): Promise<LeaseInRedis[]> {
  const { client } = openOf(connection);
  const pattern =
    key === undefined
      ? `esc:{${connection.namespace}:*}:lease:*`
      : `${escapeGlob(leaseKeyBase(connection.namespace, key))}:*`;
  const found: LeaseInRedis[] = [];
  const seen = new Set<string>();
  let cursor = '0';
  do {
    const [next, page] = await answered(connection, client.scan(cursor, 'MATCH', pattern, 'COUNT', 1000));
    const fresh = page.filter((redisKey) => !seen.has(redisKey));
    for (const redisKey of fresh) seen.add(redisKey);
    const read = await answered(connection, Promise.all(fresh.map((redisKey) => readLease(connection, redisKey))));
    for (const lease of read) if (lease && (key === undefined || lease.key === key)) found.push(lease);
    cursor = next;
  } while (cursor !== '0');
  return found.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.slot - b.slot));
}

async function readLease(connection: RedisConnection, redisKey: string): Promise<LeaseInRedis | undefined> {
  const { client } = openOf(connection);
  const place = parseLeaseKey(redisKey);
  const [value, expiresInMs] = await Promise.all([client.get(redisKey), client.pttl(redisKey)]);
  // It may have ended since the scan, or be somebody else's key that looks like one.
  if (!place || value === null || expiresInMs < 0) return undefined;
  return { key: place.key, expiresInMs, ...parseHolder(place.slot, value) };
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
