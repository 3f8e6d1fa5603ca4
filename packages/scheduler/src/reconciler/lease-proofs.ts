import { type Clock, LEASE_GONE_SHARE } from '@escapement/core';
import type { LeaseInRedis } from '@escapement/queue';
import type { LostRun } from '@escapement/store';

/** Looks further apart than this share of the lease time may have missed a renewal in between. */
const CLOSE_SHARE = 1 / 3;

export interface LeaseProofsOptions {
  /** What Redis has in these places, in the order asked; undefined: nothing. */
  lookUp: (places: { key: string; slot: number }[]) => Promise<(LeaseInRedis | undefined)[]>;
  leaseMs: number;
  clock: Clock;
}

type LeasedRun = Pick<LostRun, 'runId' | 'worker' | 'dispatch' | 'key' | 'slot'>;

interface Look {
  atMs: number;
  /** When the lease ends unless it is renewed; null: it was not there. */
  endsAtMs: number | null;
  /** Since when it has not been there; null: it was. */
  goneSinceMs: number | null;
}

/** Remembers the leases of runs whose workers are silent: whether they still prove that somebody has the run in hand. */
export interface LeaseProofs {
  /**
   * For each run, whether its worker can hold no proof any more. A lease that ended by itself is over for the worker too,
   * and earlier; one that was taken away (a flush, a failover) must be gone for as long as the worker may need to notice.
   * Rejects where Redis does not answer.
   */
  areOver(runs: readonly LeasedRun[]): Promise<boolean[]>;
}

export function createLeaseProofs({ lookUp, leaseMs, clock }: LeaseProofsOptions): LeaseProofs {
  let looks = new Map<string, Look>();

  function isOver(look: Look, before: Look | undefined): boolean {
    if (look.goneSinceMs === null) return false;
    const ranOut = before?.endsAtMs !== undefined && before.endsAtMs !== null && look.atMs >= before.endsAtMs;
    if (before && ranOut && look.atMs - before.atMs <= leaseMs * CLOSE_SHARE) return true;
    return look.atMs - look.goneSinceMs >= leaseMs * LEASE_GONE_SHARE;
  }

  return {
    async areOver(runs) {
      const atMs = clock.monotonicMs();
      const found = await lookUp(runs.map(({ key, slot }) => ({ key, slot: slot ?? 0 })));
      const before = looks;
      looks = new Map();
      return runs.map((run, index) => {
        const lease = found[index];
        const own = lease?.runId === run.runId && lease.worker === run.worker && lease.dispatch === run.dispatch;
        const last = before.get(run.runId);
        const look: Look = own
          ? { atMs, endsAtMs: atMs + lease.expiresInMs, goneSinceMs: null }
          : { atMs, endsAtMs: null, goneSinceMs: last?.goneSinceMs ?? atMs };
        const over = isOver(look, last);
        // What ran out stays over, should its finish not be written.
        looks.set(
          run.runId,
          over ? { ...look, goneSinceMs: Math.min(look.goneSinceMs ?? atMs, atMs - leaseMs) } : look,
        );
        return over;
      });
    },
  };
}
