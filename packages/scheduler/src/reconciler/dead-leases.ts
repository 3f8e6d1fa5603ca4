import { deleteLease, type LeaseInRedis, type RedisConnection, scanLeases } from '@escapement/queue';
import { type Database, haveFinished } from '@escapement/store';
import type { Healed, HealingStep } from './step.ts';

/** Steps of the scan of the keys of Redis in one pass: 5,000 keys. */
const SCANS = 5;

export interface DeadLeasesOptions {
  db: Database;
  /** The Redis that has the leases. */
  leases: RedisConnection;
}

/** Those of the leases whose run is over. */
export async function findDeadLeases<Found extends Pick<LeaseInRedis, 'runId'>>(
  db: Database,
  leases: readonly Found[],
): Promise<Found[]> {
  if (leases.length === 0) return [];
  const ids = leases.map(({ runId }) => runId);
  const over = await haveFinished(db, ids);
  return leases.filter((_, index) => over[index] === true);
}

/**
 * Ends leases whose run is over, by comparing and deleting: those of a worker that goes on renewing for a handler that
 * does not end. All others expire by themselves, and a run that needs the slot takes it over at once.
 */
export function deadLeasesStep({ db, leases: connection }: DeadLeasesOptions): HealingStep {
  let cursor = '0';

  async function fix(dead: readonly LeaseInRedis[]): Promise<number> {
    let ended = 0;
    for (const lease of dead) if (await deleteLease(connection, lease)) ended += 1;
    return ended;
  }

  async function heal(): Promise<Healed> {
    let ended = 0;
    for (let scan = 0; scan < SCANS; scan++) {
      const { leases, next } = await scanLeases(connection, cursor);
      cursor = next;
      ended += await fix(await findDeadLeases(db, leases));
      if (cursor === '0') break;
    }
    return { counts: { dead_lease: ended }, more: false };
  }

  return { name: 'dead leases', heal };
}
