import type { Clock } from '@escapement/core';
import { INTAKE_MS } from '@escapement/core/monitors';
import { sayPingsAreTaken } from '@escapement/operations';
import { createLoop, type OnError, type Service } from '@escapement/service';
import type { Database } from '@escapement/store';

/** Says that an API takes pings, as long as it does: of a ping that does not come while none is there nobody can say that it is missing. */
export function createPingIntake({ db, clock, onError }: { db: Database; clock: Clock; onError: OnError }): Service {
  return createLoop({
    name: 'pings',
    async runOnce() {
      await sayPingsAreTaken(db);
      return INTAKE_MS;
    },
    // Once Postgres is back, nothing is told as missing until one has said so.
    backoff: { minMs: INTAKE_MS / 4, maxMs: INTAKE_MS },
    onError,
    clock,
  });
}
