import { answered, openOf, type RedisConnection } from '../redis/connection.ts';
import { leaseKey, leaseKeyBase, parseLeaseKey } from '../redis/keys.ts';
import { type LeaseHolder, ownerText, parseHolder } from './lease-holder.ts';

export interface LeaseInRedis extends LeaseHolder {
  key: string;
  /** Milliseconds until it ends unless it is renewed. */
  expiresInMs: number;
}

/** All leases of the connection's namespace, or of one key. For people: it scans the keys of Redis. */
export async function listLeases(connection: RedisConnection, key?: string): Promise<LeaseInRedis[]> {
  const found = new Map<string, LeaseInRedis>();
  let cursor = '0';
  do {
    const { leases, next } = await scanLeases(connection, cursor, key);
    for (const lease of leases) found.set(leaseKey(connection.namespace, lease.key, lease.slot), lease);
    cursor = next;
  } while (cursor !== '0');
  return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.slot - b.slot));
}

/** Keys of one step: Redis is busy for less than a millisecond. */
const SCAN_COUNT = 1000;

export interface LeasePage {
  leases: LeaseInRedis[];
  /** `0`: that was the end. */
  next: string;
}

/** One step of a scan of the keys of Redis, from cursor `0` on: the leases among them. One may come twice. */
export async function scanLeases(connection: RedisConnection, cursor: string, key?: string): Promise<LeasePage> {
  const { client } = openOf(connection);
  const pattern =
    key === undefined
      ? `esc:{${connection.namespace}:*}:lease:*`
      : `${escapeGlob(leaseKeyBase(connection.namespace, key))}:*`;
  const [next, page] = await answered(connection, client.scan(cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT));
  const read = await answered(connection, Promise.all(page.map((redisKey) => readLease(connection, redisKey))));
  return { next, leases: read.flatMap((lease) => (lease && (key === undefined || lease.key === key) ? [lease] : [])) };
}

/** Ends a lease if it is still that of this run and dispatch. Returns whether it was. */
export async function deleteLease(connection: RedisConnection, lease: LeaseInRedis): Promise<boolean> {
  const { client } = openOf(connection);
  const redisKey = leaseKey(connection.namespace, lease.key, lease.slot);
  // No command of its own: one that is defined while others are being gathered breaks ioredis' auto-pipelining.
  return (await answered(connection, client.eval(END, 1, redisKey, ownerText(lease)))) === 1;
}

const END = `
local holder = redis.call('GET', KEYS[1])
if holder and string.sub(holder, 1, #ARGV[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

/** The leases in these places, in the order asked; undefined: there is none. */
export async function lookUpLeases(
  connection: RedisConnection,
  places: readonly { key: string; slot: number }[],
): Promise<(LeaseInRedis | undefined)[]> {
  const reads = places.map(({ key, slot }) => readLease(connection, leaseKey(connection.namespace, key, slot)));
  return await answered(connection, Promise.all(reads));
}

async function readLease(connection: RedisConnection, redisKey: string): Promise<LeaseInRedis | undefined> {
  const { client } = openOf(connection);
  const place = parseLeaseKey(redisKey);
  const [value, expiresInMs] = await Promise.all([client.get(redisKey), client.pttl(redisKey)]);
  // It may have ended since the scan, or be somebody else's key that looks like one.
  // Equivalent mutant (border, <): a lease that ends in this millisecond has ended when the answer arrives.
  // Equivalent mutant (constant): a lease that ends in this millisecond has ended when the answer arrives.
  if (!place || value === null || expiresInMs < 0) return undefined;
  return { key: place.key, expiresInMs, ...parseHolder(place.slot, value) };
}

function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
