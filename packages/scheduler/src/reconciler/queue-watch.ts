import { randomUUID } from 'node:crypto';
import {
  actionOf,
  type Emit,
  judgeLedgerMove,
  type LedgerPlace,
  processPrincipal,
  type QueueBlock,
} from '@escapement/core';
import type { QueueContents } from '@escapement/queue';
import { completeResync, type Database, type MarkerNoted, noteLedgerMove, noteMarker } from '@escapement/store';
import { type HealingStep, NOTHING } from './step.ts';

/**
 * Tells cheaply whether Redis may have forgotten what it was given: each pass leaves a new marker there and in Postgres.
 * One that is missing or older than that of the pass before (a flush, a snapshot, lost writes), or another server's (a
 * restart, a failover), means that the whole queue is to be compared with the ledger, without delay. The marker also says
 * where the ledger was, which shows that Postgres has forgotten something.
 */
export interface QueueWatch {
  /** The number of the resync request under which all is to be compared; undefined: there is none. */
  readonly resyncRequest: number | undefined;
  /** What was noted last to keep queues from being worked off. */
  readonly blocked: readonly QueueBlock[];
  readonly step: HealingStep;
  /** All was compared under the request of that number. */
  completeResync(request: number): Promise<void>;
}

export interface QueueWatchOptions {
  db: Database;
  contents: QueueContents;
  emit: Emit;
}

/** Who has found that the ledger has moved. */
const BY = actionOf(processPrincipal('scheduler'));

export function createQueueWatch({ db, contents, emit }: QueueWatchOptions): QueueWatch {
  let request: number | undefined;
  let last: LedgerPlace | null = null;
  let blocked: readonly QueueBlock[] = [];

  async function tellOfMove({ here, noted }: MarkerNoted, found: string | null): Promise<void> {
    const outside = placeIn(found);
    const how = judgeLedgerMove({ here, noted, outside });
    if (!how || !here) return;
    // A row that has the new place already does not say where the ledger was: what was left in Redis does.
    const from = noted !== null && noted !== here.place ? noted : (outside?.place ?? null);
    const move = { how, from, to: here.place };
    if (await noteLedgerMove(db, { ...move, noted, by: BY })) emit({ event: 'ledger_moved', ...move });
  }

  return {
    get resyncRequest() {
      return request;
    },
    get blocked() {
      return blocked;
    },
    step: {
      name: 'queue watch',
      async heal() {
        const marker = [randomUUID(), ...(last ? [last.place, last.lsn] : [])].join(' ');
        const seen = await contents.replaceMarker(marker);
        const noted = await noteMarker(db, { ...seen, marker });
        last = noted.here;
        blocked = noted.blocked;
        request = noted.requested > noted.completed ? noted.requested : undefined;
        await tellOfMove(noted, seen.found);
        return NOTHING;
      },
    },
    completeResync: (number) => completeResync(db, number),
  };
}

/** Where the ledger was when somebody left this marker; null: it does not say. */
function placeIn(marker: string | null): LedgerPlace | null {
  const [, place, lsn] = marker?.split(' ') ?? [];
  return place === undefined || lsn === undefined ? null : { place, lsn };
}
