import { deleteLease, type RedisConnection, scanLeases } from '@escapement/queue';
import { type Database, haveFinished } from '@escapement/store';
import type { Healed, HealingStep } from './step.ts';

/** Steps of the walk through the keys of Redis in one pass: 5,000 keys. */
const SCANS = 5;

export interface DeadLeasesOptions {
  db: Database;
  /** The Redis that has the leases. */
  leases: RedisConnection;
}

/**
 * Ends leases whose run is over, by comparing and deleting: those of a worker that goes on renewing for a handler that
 * does not end. All others expire by themselves, and a run that needs the slot takes it over at once.
 */
export function deadLeasesStep({ db, leases: connection }: DeadLeasesOptions): HealingStep {
  let cursor = '0';

  async function heal(): Promise<Healed> {
    let ended = 0;
    for (let scan = 0; scan < SCANS; scan++) {
      const { leases, next } = await scanLeases(connection, cursor);
      cursor = next;
      const over =
        leases.length === 0
          ? []
          : await haveFinished(
              db,
              leases.map(({ runId }) => runId),
            );
      for (const [index, lease] of leases.entries())
        if (over[index] === true && (await deleteLease(connection, lease))) ended += 1;
      if (cursor === '0') break;
    }
    return { counts: { dead_lease: ended }, more: false };
  }

  return { name: 'dead leases', heal };
}
