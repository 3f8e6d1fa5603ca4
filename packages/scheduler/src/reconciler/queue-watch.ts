import { randomUUID } from 'node:crypto';
import type { QueueContents } from '@escapement/queue';
import { type Database, noteMarker, settleDoubt } from '@escapement/store';
import { type HealingStep, NOTHING } from './step.ts';

/**
 * Tells cheaply whether Redis may have forgotten what it was given: each pass leaves a new mark there and in Postgres.
 * One that is missing or older than that of the pass before (a flush, a snapshot, lost writes), or another server's (a
 * restart, a failover), means that the whole queue is to be compared with the ledger, without delay.
 */
export interface QueueWatch {
  /** The number of the doubt under which all is to be compared; undefined: there is none. */
  readonly doubt: number | undefined;
  readonly step: HealingStep;
  /** All was compared under the doubt of that number. */
  settle(doubt: number): Promise<void>;
}

export function createQueueWatch({ db, contents }: { db: Database; contents: QueueContents }): QueueWatch {
  let doubt: number | undefined;
  return {
    get doubt() {
      return doubt;
    },
    step: {
      name: 'queue watch',
      async heal() {
        const marker = randomUUID();
        const seen = await contents.mark(marker);
        const noted = await noteMarker(db, { ...seen, marker });
        doubt = noted.doubt > noted.checked ? noted.doubt : undefined;
        return NOTHING;
      },
    },
    settle: (settled) => settleDoubt(db, settled),
  };
}
