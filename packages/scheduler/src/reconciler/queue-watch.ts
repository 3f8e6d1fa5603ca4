import { randomUUID } from 'node:crypto';
import type { QueueContents } from '@escapement/queue';
import { completeResync, type Database, noteMarker } from '@escapement/store';
import { type HealingStep, NOTHING } from './step.ts';

/**
 * Tells cheaply whether Redis may have forgotten what it was given: each pass leaves a new marker there and in Postgres.
 * One that is missing or older than that of the pass before (a flush, a snapshot, lost writes), or another server's (a
 * restart, a failover), means that the whole queue is to be compared with the ledger, without delay.
 */
export interface QueueWatch {
  /** The number of the resync request under which all is to be compared; undefined: there is none. */
  readonly resyncRequest: number | undefined;
  readonly step: HealingStep;
  /** All was compared under the request of that number. */
  completeResync(request: number): Promise<void>;
}

export function createQueueWatch({ db, contents }: { db: Database; contents: QueueContents }): QueueWatch {
  let request: number | undefined;
  return {
    get resyncRequest() {
      return request;
    },
    step: {
      name: 'queue watch',
      async heal() {
        const marker = randomUUID();
        const seen = await contents.replaceMarker(marker);
        const noted = await noteMarker(db, { ...seen, marker });
        request = noted.requested > noted.completed ? noted.requested : undefined;
        return NOTHING;
      },
    },
    completeResync: (number) => completeResync(db, number),
  };
}
