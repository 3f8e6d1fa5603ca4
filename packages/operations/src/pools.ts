import { type By, EscapementError, inUtc, nearest, parseQueue, poolName, rateLimit } from '@escapement/core';
import type { Right } from '@escapement/core/rights';
import {
  type Database,
  type PoolDemand,
  type PoolPause,
  type PoolSettings,
  type PoolView,
  pausePool as pauseInLedger,
  pingDatabase,
  poolNames,
  poolDemand as readDemand,
  readPools,
  readQueueBlocks,
  resumePool as resumeInLedger,
  savePool,
} from '@escapement/store';
import { openPoolInRedis } from './ask-fleet.ts';
import { permitInNamespace } from './rights/permit.ts';

export type { PoolDemand, PoolPause, PoolQueue, PoolRate, PoolSettings, PoolView } from '@escapement/store';

/** How long a worker is believed to be alive after its last heartbeat: the lease time of the fleet. Milliseconds. */
interface Fleet {
  deadMs: number;
}

/** All pools that there are: written down, named by a task or served by a worker. */
export async function listPools(db: Database, fleet: Fleet): Promise<PoolView[]> {
  return await readPools(db, fleet);
}

/** A pool. Throws `unknown_pool` with the nearest. */
export async function showPool(db: Database, name: string, fleet: Fleet): Promise<PoolView> {
  const [found] = await readPools(db, { ...fleet, name });
  if (found) return found;
  throw unknownPool(name, await poolNames(db));
}

/** What a pool has to do until `leadMs` from now. Throws `unknown_pool` with the nearest. */
export async function poolDemand(db: Database, name: string, lead: { leadMs: number }): Promise<PoolDemand> {
  const demand = await readDemand(db, name, lead);
  // Asked every few seconds: a pool that has something to do is known.
  if (Object.values(demand).every((count) => count === 0)) await requirePool(db, name);
  return demand;
}

function unknownPool(name: string, names: readonly string[]): EscapementError {
  const near = nearest(
    name,
    names.filter((each) => each !== name),
  );
  return new EscapementError('unknown_pool', `no task names a pool "${name}", and no worker serves it`, {
    fix: near ? `did you mean ${near}?` : '`escapement pools set` writes down one that is still to come',
  });
}

/** Throws `unknown_pool` with the nearest. */
export async function requirePool(db: Database, name: string): Promise<void> {
  const names = await poolNames(db);
  if (!names.includes(name)) throw unknownPool(name, names);
}

/** A pool is of all tasks whose runs go there. */
async function permitOnPool(
  db: Database,
  by: By,
  right: Right,
  { name, action }: { name: string; action: string },
): Promise<void> {
  await permitInNamespace(db, by, right, { action, subject: { pool: name }, what: `pool ${name}` });
}

/** Writes down what people say of a pool; there need not be a task or a worker of it. Throws `bad_pool`, `bad_rate`. */
export async function setPool(db: Database, name: string, settings: PoolSettings, by: By): Promise<void> {
  await permitOnPool(db, by, 'edit', { name, action: 'set' });
  if (!poolName.safeParse(name).success)
    throw new EscapementError('bad_pool', `"${name}" is no name for a pool`, {
      fix: 'lower-case letters, digits, _ and -, at most 63',
    });
  if (settings.rate && !rateLimit.safeParse(settings.rate).success)
    throw new EscapementError('bad_rate', `a rate of ${settings.rate.limit} in ${settings.rate.perMs} ms`, {
      fix: 'give 1 to 100,000 starts within 100 ms to 30 days',
    });
  await savePool(db, name, settings, by);
}

/**
 * Pauses a pool: no run of it begins from now on, until an instant or until it is resumed (null). What is under way goes on. Throws
 * `unknown_pool`, `bad_instant` for an end that has passed.
 */
export async function pausePool(db: Database, name: string, untilAt: Date | null, by: By): Promise<void> {
  await permitOnPool(db, by, 'pause', { name, action: 'pause' });
  if (untilAt && untilAt <= (await pingDatabase(db)).now)
    throw new EscapementError('bad_instant', `it is to last until ${untilAt.toISOString()}, which has passed`, {
      fix: 'give an instant that is still to come',
    });
  await requirePool(db, name);
  await pauseInLedger(db, name, untilAt, by);
}

/**
 * Ends the pause of a pool, and what another program has done to its queues in Redis. False: there was neither. Throws `unknown_pool`,
 * and `no_scheduler_answers` where Redis has to be asked.
 */
export async function resumePool(db: Database, name: string, by: By): Promise<boolean> {
  await permitOnPool(db, by, 'pause', { name, action: 'resume' });
  await requirePool(db, name);
  const ended = await resumeInLedger(db, name, by);
  const blocks = await readQueueBlocks(db);
  if (!blocks.some(({ queue, kind }) => kind !== 'taken' && parseQueue(queue).pool === name)) return ended;
  return (await openPoolInRedis(db, name, by)) || ended;
}

/** A pause of a pool in words. */
export function poolPauseWords({ fromAt, untilAt, note, by }: PoolPause): string {
  const end = untilAt ? `until ${inUtc(untilAt)}` : 'until resumed';
  return `paused since ${inUtc(fromAt)} ${end}, by ${by}${note ? `: ${note}` : ''}`;
}
