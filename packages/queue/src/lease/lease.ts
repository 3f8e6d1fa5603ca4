import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, EscapementError, LEASE_MS, RESERVATION_MS, SECOND, systemClock } from '@escapement/core';
import { answered, connectRedis, isAnswer, openOf, type RedisConnection } from '../redis/connection.ts';
import { createErrorLimit } from '../redis/error-limit.ts';
import { leaseKeyBase, leaseMarkerKey } from '../redis/keys.ts';
import type { RedisOptions } from '../redis/redis-options.ts';
import { serverOf } from '../redis/redis-server.ts';
import { createHeldLeases, type Lease, type LeaseCounts } from './held-leases.ts';
import { groupLeaseCommands } from './lease-groups.ts';
import { type LeaseHolder, ownerText, parseHolder, reservationText } from './lease-holder.ts';
import { checkLeaseText } from './lease-places.ts';
import { leaseScripts } from './lease-scripts.ts';
import { createLeaseMemory, openLeaseTable, sharedNowMs } from './lease-table.ts';
import { startLeaseThread } from './lease-thread.ts';
import { createTurns } from './lease-turns.ts';

export interface LeaseRequest {
  key: string;
  /** How many slots the key has, 1 to 1000. */
  limit: number;
  runId: string;
  /** Who asks; unique to one life of a process, so that a restarted worker is another one. */
  worker: string;
  /** The dispatch number of the run, which grows each time the run is queued. */
  dispatch: number;
  /** The lease is renewed for so long at most: a hung run does not hold its key for ever. Default: no bound. */
  maxHoldMs?: number;
}

export interface AcquireRequest extends LeaseRequest {
  /** The slot it is to get where it is free: the one that the ledger has reserved for it. Null: any. Default null. */
  slot?: number | null;
}

export interface TakeOverRequest extends LeaseRequest {
  slot: number;
  /** The run that the ledger says is over. If another one holds the slot by now, nothing is taken. */
  fromRunId: string;
}

export type LeaseResult = { held: true; lease: Lease } | { held: false; holders: LeaseHolder[] };

/** Takes and keeps the leases of a process. */
export interface LeaseKeeper {
  /**
   * A free slot of the key, or who is in the way. A run gets the slot again that it has already, unless somebody has
   * it under the same dispatch or a later one: the job was delivered twice, and that holder is the one in the way.
   * Rejects with `redis_unreachable` within the command's time limit.
   */
  acquire(request: AcquireRequest): Promise<LeaseResult>;
  /** Takes the slot of a run that is over, by compare-and-set on that run. Rejects like `acquire`. */
  takeOver(request: TakeOverRequest): Promise<LeaseResult>;
  /** Resolves when the renewing thread is connected for the first time. */
  readonly ready: Promise<void>;
  /** Milliseconds of a round trip. Rejects with `redis_unreachable` within the command's time limit. */
  ping(): Promise<number>;
  counts(): LeaseCounts;
  /**
   * Ends renewal. What is still held counts as lost at once, and expires in Redis. Releases under way get a second to
   * arrive there.
   */
  close(): Promise<void>;
}

export interface LeaseKeeperOptions {
  /** `onError` in here is not used. */
  redis: RedisOptions;
  /** How long a lease lasts without renewal. Default 10 s. Renewed at a third of it. */
  leaseMs?: number;
  /** An event loop that is blocked for longer loses its leases. Default 30 s. */
  maxBlockMs?: number;
  /** How many leases at once. Default 8192. */
  capacity?: number;
  /** Hears of errors at a bounded rate. */
  onError: (error: Error) => void;
  clock?: Clock;
}

const MAX_LIMIT = 1000;
const SHUTDOWN_MS = 1 * SECOND;

export function createLeaseKeeper(options: LeaseKeeperOptions): LeaseKeeper {
  const { redis, leaseMs = LEASE_MS, maxBlockMs = 30 * SECOND, capacity = 8192, clock = systemClock } = options;
  const report = createErrorLimit(options.onError);
  const connection = connectRedis({ ...redis, onError: report });
  const table = openLeaseTable(createLeaseMemory(capacity));
  const carryOut = commandsOf(connection, leaseMs);
  const releases = new Set<Promise<void>>();
  const leases = createHeldLeases(table, ({ redisKey, owner, holder }, nextRunId) => {
    const reservation = nextRunId === undefined ? undefined : reservationText(nextRunId, holder.worker, clock.now());
    const release = carryOut({ op: 'release', redisKey, owner, reservation })
      .catch(report)
      .then(() => void releases.delete(release));
    releases.add(release);
    return release;
  });
  leases.look();
  const watch = setInterval(leases.look, Math.min(250, leaseMs / 20)).unref();
  const thread = startLeaseThread(
    {
      memory: table.memory,
      server: serverOf(redis),
      leaseMs,
      maxBlockMs,
      markerKey: leaseMarkerKey(connection.namespace, randomUUID()),
    },
    { onLost: leases.look, onError: report },
  );
  const oneAtATime = createTurns();
  const stamp = (request: LeaseRequest) => stampOf(request, connection.namespace, clock);

  function grant(slot: number, request: LeaseRequest, { base, owner, since, sentMs }: Stamp): LeaseResult {
    const { key, runId, worker, dispatch, maxHoldMs } = request;
    const lease = leases.hold({
      key,
      redisKey: `${base}:${slot}`,
      owner,
      holder: { slot, runId, worker, dispatch, since },
      deadlineMs: sentMs + leaseMs,
      renewUntilMs: maxHoldMs === undefined ? Number.MAX_SAFE_INTEGER : sentMs + maxHoldMs,
    });
    return { held: true, lease };
  }

  async function acquire(request: AcquireRequest): Promise<LeaseResult> {
    const { key, runId, limit, slot: prefers } = request;
    const own = leases.ofRun(key, runId);
    if (own) return { held: false, holders: [own] };
    const stamped = stamp(request);
    const reply = await carryOut({ op: 'acquire', base: stamped.base, limit, prefers, value: stamped.value });
    return typeof reply === 'number' ? grant(reply, request, stamped) : { held: false, holders: holdersOf(reply) };
  }

  return {
    acquire: (request) => oneAtATime(`${request.runId} ${request.key}`, () => acquire(request)),
    async takeOver(request) {
      const { slot, fromRunId } = request;
      const stamped = stamp(request);
      const { base, value } = stamped;
      const reply = await carryOut({ op: 'takeOver', redisKey: `${base}:${slot}`, fromRunId, value });
      return typeof reply === 'number'
        ? grant(slot, request, stamped)
        : { held: false, holders: holdersOf(reply, slot) };
    },
    ready: thread.ready,
    ping: () => connection.ping(),
    counts: leases.counts,
    async close() {
      clearInterval(watch);
      leases.abandon();
      const released = Promise.race([Promise.all(releases), sleep(SHUTDOWN_MS, undefined, { ref: false })]);
      await Promise.all([thread.stop(), released.then(() => connection.close())]);
    },
  };
}

function commandsOf(connection: RedisConnection, leaseMs: number) {
  const scripts = leaseScripts(openOf(connection).client);
  const times = { leaseMs, reservedMs: RESERVATION_MS };
  return groupLeaseCommands({
    carryOut: (commands) => answered(connection, scripts.carryOut(commands, times)),
    isAnswer,
  });
}

/** What Redis is asked under, and since when a lease counts that it gives. */
interface Stamp {
  base: string;
  owner: string;
  /** ISO 8601. */
  since: string;
  /** What the lease says in Redis. */
  value: string;
  sentMs: number;
}

function stampOf(request: LeaseRequest, namespace: string, clock: Clock): Stamp {
  const owner = ownerText(checkLimit(request));
  const base = leaseKeyBase(namespace, request.key);
  checkLeaseText({ redisKey: `${base}:${MAX_LIMIT}`, owner });
  const since = clock.now().toISOString();
  // Before the call: Redis counts from its arrival, so that the lease ends here before it ends there.
  return { base, owner, since, value: owner + since, sentMs: sharedNowMs() };
}

function holdersOf(values: readonly (string | null)[], firstSlot = 1): LeaseHolder[] {
  return values.flatMap((value, index) => (value === null ? [] : [parseHolder(firstSlot + index, value)]));
}

function checkLimit<Request extends LeaseRequest>(request: Request): Request {
  const { limit, key } = request;
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return request;
  throw new EscapementError('bad_limit', `the limit of key "${key}" is ${limit}`, { fix: `1 to ${MAX_LIMIT}` });
}
