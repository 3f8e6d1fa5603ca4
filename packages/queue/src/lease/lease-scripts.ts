import type { Redis } from 'ioredis';

/**
 * The leases' Lua, one round trip each. A lease is a string of its own for each slot, so that Redis' own expiry
 * ends it, whatever happens to its holder.
 */
export interface LeaseScripts {
  /**
   * Carries out commands one after the other, and answers each. Where Redis refuses one all are refused, though those
   * before it may have been carried out; none does harm when it comes again.
   */
  carryOut(commands: readonly LeaseCommand[], times: LeaseTimes): Promise<LeaseReply[]>;
  /** For each lease what it is now; and whether Redis has forgotten all it knew since the marker was set last. */
  renew(leases: readonly RenewArguments[], marker: MarkerArguments): Promise<{ leases: Renewed[]; forgot: boolean }>;
}

export type LeaseCommand =
  /** Answered with the slot that is now ours, the preferred one if it is free, or the values of all slots. */
  | { op: 'acquire'; base: string; limit: number; prefers?: number | null | undefined; value: string }
  /** Answered with 1, or the value of another holder. */
  | { op: 'takeOver'; redisKey: string; fromRunId: string; value: string }
  /** Answered with 1 where the lease was ours. With a reservation, the value of the run that is next, it is that run's now. */
  | { op: 'release'; redisKey: string; owner: string; reservation?: string | undefined };

export interface LeaseTimes {
  leaseMs: number;
  reservedMs: number;
}

export type LeaseReply = number | (string | null)[];

export interface RenewArguments {
  redisKey: string;
  owner: string;
  /** Whether it may be taken anew, should Redis have forgotten it. */
  mayRetake: boolean;
}

/** The process' marker, which tells a Redis that forgot from one where somebody has taken a lease away. */
export interface MarkerArguments {
  redisKey: string;
  /** What a lease that is taken anew says since when it is held: ISO 8601. */
  since: string;
  /** Redis has forgotten, as an earlier call of the pass has found. */
  forgot: boolean;
  leaseMs: number;
}

/** `renewed` and `retaken` last for the lease time from now on. */
export type Renewed = 'lost' | 'renewed' | 'retaken';

// A run gets the slot again that it has already: the same dispatch of the same worker (the reply was lost), or a later
// dispatch (the earlier one is over). The same dispatch from another worker is a job that was delivered twice: it must
// not disturb the first one.
const CARRY_OUT = `
local ttl, reservedMs = ARGV[1], ARGV[2]

local function acquire(base, limit, prefers, value)
  if limit == 1 and not redis.call('GET', base .. ':1') then
    redis.call('SET', base .. ':1', value, 'PX', ttl)
    return 1
  end
  local keys = {}
  for slot = 1, limit do keys[slot] = base .. ':' .. slot end
  local values = redis.call('MGET', unpack(keys))
  local owner, run, dispatch = string.match(value, '^((%S+) (%d+) %S* )')
  local mine, free
  for slot = 1, limit do
    local holder = values[slot]
    if not holder then
      if not free or slot == prefers then free = slot end
    elseif string.sub(holder, 1, #run + 1) == run .. ' ' then
      local isOurs = string.sub(holder, 1, #owner) == owner
      if not isOurs and tonumber(string.match(holder, '^%S+ (%d+) ')) >= tonumber(dispatch) then return values end
      mine = slot
    end
  end
  local slot = mine or free
  if not slot then return values end
  redis.call('SET', keys[slot], value, 'PX', ttl)
  return slot
end

local function takeOver(key, from, value)
  local holder = redis.call('GET', key)
  local owner = string.match(value, '^%S+ %d+ %S* ')
  if holder and string.sub(holder, 1, #from + 1) ~= from .. ' ' and string.sub(holder, 1, #owner) ~= owner then
    return { holder }
  end
  redis.call('SET', key, value, 'PX', ttl)
  return 1
end

local function release(key, owner, reservation)
  local holder = redis.call('GET', key)
  if not holder or string.sub(holder, 1, #owner) ~= owner then return 0 end
  if reservation == '' then return redis.call('DEL', key) end
  redis.call('SET', key, reservation, 'PX', reservedMs)
  return 1
end

local replies = {}
for i, key in ipairs(KEYS) do
  local op, given, value = ARGV[3 * i], ARGV[3 * i + 1], ARGV[3 * i + 2]
  if op == 'acquire' then
    local limit, prefers = string.match(given, '^(%d+) (%d+)$')
    replies[i] = acquire(key, tonumber(limit), tonumber(prefers), value)
  elseif op == 'takeOver' then
    replies[i] = takeOver(key, given, value)
  else
    replies[i] = release(key, given, value)
  end
end
return replies`;

// A lease that is gone is taken anew only where the marker is gone too: then nobody has taken it away from us.
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

/** The name that `carryOut` has with a client. */
export const LEASES_COMMAND = 'escLeases';

/** Teaches a client the scripts. */
export function leaseScripts(client: Redis): LeaseScripts {
  client.defineCommand(LEASES_COMMAND, { lua: CARRY_OUT });
  client.defineCommand('escLeaseRenew', { lua: RENEW });
  const { escLeases, escLeaseRenew } = client as Redis & Commands;
  return {
    carryOut: (commands, times) => escLeases.apply(client, packed(commands, times)),
    async renew(leases, { redisKey: marker, since, forgot, leaseMs }) {
      const [forgotNow, ...renewed] = await escLeaseRenew.call(
        client,
        leases.length + 1,
        marker,
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

/** The number of keys, the keys, the times, and three arguments for each command. */
function packed(commands: readonly LeaseCommand[], { leaseMs, reservedMs }: LeaseTimes): (string | number)[] {
  const args: (string | number)[] = [commands.length];
  for (const command of commands) args.push(command.op === 'acquire' ? command.base : command.redisKey);
  args.push(leaseMs, reservedMs);
  for (const command of commands) {
    if (command.op === 'acquire') args.push(command.op, `${command.limit} ${command.prefers ?? 0}`, command.value);
    else if (command.op === 'takeOver') args.push(command.op, command.fromRunId, command.value);
    // Equivalent mutant (default): the client of Redis sends undefined as an empty text.
    else args.push(command.op, command.owner, command.reservation ?? '');
  }
  return args;
}

/** What `defineCommand` adds to a client; ioredis has no types for it. */
interface Commands {
  escLeases(...args: (string | number)[]): Promise<LeaseReply[]>;
  escLeaseRenew(...args: (string | number)[]): Promise<number[]>;
}
