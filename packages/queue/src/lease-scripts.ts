import type { Redis } from 'ioredis';

/**
 * The leases' Lua, one round trip each. A lease is a string of its own for each slot, so that Redis' own expiry
 * ends it, whatever happens to its holder.
 */
export interface LeaseScripts {
  /** The slot that is now ours, or the values of all slots. */
  acquire(base: string, request: AcquireArguments): Promise<number | (string | null)[]>;
  /** 1, or the value of another holder. */
  takeOver(redisKey: string, request: TakeOverArguments): Promise<number | string>;
  /** 1 where the lease was ours; with a reservation it is the next one's from now on. */
  release(redisKey: string, owner: string, reservation?: ReservationArguments): Promise<number>;
  /** For each lease what it is now; and whether Redis has forgotten all it knew since the mark was set last. */
  renew(leases: readonly RenewArguments[], mark: MarkArguments): Promise<{ leases: Renewed[]; forgot: boolean }>;
}

export interface RenewArguments {
  redisKey: string;
  owner: string;
  /** Whether it may be taken anew, should Redis have forgotten it. */
  mayRetake: boolean;
}

/** The process' mark, which tells a Redis that forgot from one where somebody has taken a lease away. */
export interface MarkArguments {
  redisKey: string;
  /** What a lease that is taken anew says since when it is held: ISO 8601. */
  since: string;
  /** Redis has forgotten, as an earlier call of the pass has found. */
  forgot: boolean;
  leaseMs: number;
}

/** `renewed` and `retaken` last for the lease time from now on. */
export type Renewed = 'lost' | 'renewed' | 'retaken';

export interface AcquireArguments {
  limit: number;
  runId: string;
  attempt: number;
  /** The value's beginning up to the worker. */
  owner: string;
  value: string;
  leaseMs: number;
}

export interface TakeOverArguments {
  owner: string;
  fromRunId: string;
  value: string;
  leaseMs: number;
}

export interface ReservationArguments {
  /** The value of the run that is next. */
  value: string;
  reservedMs: number;
}

// A run gets the slot again that it has already: the same attempt of the same worker (the reply was lost), or a later
// attempt (the earlier one is over). The same attempt from another worker is a job that was delivered twice: it must
// not disturb the first one.
const ACQUIRE = `
local limit, run, attempt, owner, value, ttl = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5], ARGV[6]
local keys = {}
for slot = 1, limit do keys[slot] = KEYS[1] .. ':' .. slot end
local values = redis.call('MGET', unpack(keys))
local mine, free
for slot = 1, limit do
  local holder = values[slot]
  if not holder then
    free = free or slot
  elseif string.sub(holder, 1, #run + 1) == run .. ' ' then
    local isOurs = string.sub(holder, 1, #owner) == owner
    if not isOurs and tonumber(string.match(holder, '^%S+ (%d+) ')) >= attempt then return values end
    mine = slot
  end
end
local slot = mine or free
if not slot then return values end
redis.call('SET', keys[slot], value, 'PX', ttl)
return slot`;

const TAKE_OVER = `
local owner, from, value, ttl = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local holder = redis.call('GET', KEYS[1])
if holder and string.sub(holder, 1, #from + 1) ~= from .. ' ' and string.sub(holder, 1, #owner) ~= owner then
  return holder
end
redis.call('SET', KEYS[1], value, 'PX', ttl)
return 1`;

const RELEASE = `
local holder = redis.call('GET', KEYS[1])
if not holder or string.sub(holder, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
if not ARGV[2] then return redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

// A lease that is gone is taken anew only where the mark is gone too: then nobody has taken it away from us.
const RENEW = `
local ttl, since, forgot = ARGV[1], ARGV[2], ARGV[3] == '1'
if redis.call('EXISTS', KEYS[1]) == 0 then forgot = true end
redis.call('SET', KEYS[1], since, 'PX', ttl)
local renewed = { forgot and 1 or 0 }
local holders = redis.call('MGET', unpack(KEYS))
for i = 2, #KEYS do
  local owner, holder = ARGV[2 * i], holders[i]
  renewed[i] = 0
  if holder and string.sub(holder, 1, #owner) == owner then
    renewed[i] = redis.call('PEXPIRE', KEYS[i], ttl)
  elseif not holder and forgot and ARGV[2 * i + 1] == '1' then
    redis.call('SET', KEYS[i], owner .. since, 'PX', ttl)
    renewed[i] = 2
  end
end
return renewed`;

const RENEWED: readonly Renewed[] = ['lost', 'renewed', 'retaken'];

/** Teaches a client the scripts. */
export function leaseScripts(client: Redis): LeaseScripts {
  client.defineCommand('escLeaseAcquire', { numberOfKeys: 1, lua: ACQUIRE });
  client.defineCommand('escLeaseTakeOver', { numberOfKeys: 1, lua: TAKE_OVER });
  client.defineCommand('escLeaseRelease', { numberOfKeys: 1, lua: RELEASE });
  client.defineCommand('escLeaseRenew', { lua: RENEW });
  const { escLeaseAcquire, escLeaseTakeOver, escLeaseRelease, escLeaseRenew } = client as Redis & Commands;
  return {
    acquire: (base, { limit, runId, attempt, owner, value, leaseMs }) =>
      escLeaseAcquire.call(client, base, limit, runId, attempt, owner, value, leaseMs),
    takeOver: (key, { owner, fromRunId, value, leaseMs }) =>
      escLeaseTakeOver.call(client, key, owner, fromRunId, value, leaseMs),
    release: (key, owner, next) =>
      escLeaseRelease.call(client, key, owner, ...(next ? [next.value, next.reservedMs] : [])),
    async renew(leases, { redisKey: mark, since, forgot, leaseMs }) {
      const [forgotNow, ...renewed] = await escLeaseRenew.call(
        client,
        leases.length + 1,
        mark,
        ...leases.map(({ redisKey }) => redisKey),
        leaseMs,
        since,
        forgot ? 1 : 0,
        ...leases.flatMap(({ owner, mayRetake }) => [owner, mayRetake ? 1 : 0]),
      );
      return { leases: renewed.map((each) => RENEWED[each] ?? 'lost'), forgot: forgotNow === 1 };
    },
  };
}

/** What `defineCommand` adds to a client; ioredis has no types for it. */
interface Commands {
  escLeaseAcquire(...args: (string | number)[]): Promise<number | (string | null)[]>;
  escLeaseTakeOver(...args: (string | number)[]): Promise<number | string>;
  escLeaseRelease(...args: (string | number)[]): Promise<number>;
  escLeaseRenew(...args: (string | number)[]): Promise<number[]>;
}
