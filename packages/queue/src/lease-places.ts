import { EscapementError } from '@escapement/core';
import { FREE, type LeaseTable, LOST, MAX_TEXT_BYTES } from './lease-table.ts';

/** The main thread's side of the table: hands out places and says whether the lease in one is still good. */
export interface LeasePlaces {
  /** Throws `too_many_leases` when all places are taken. */
  take(entry: PlaceEntry): LeasePlace;
}

export interface PlaceEntry {
  redisKey: string;
  owner: string;
  renewUntilMs: number;
  deadlineMs: number;
}

export interface LeasePlace {
  /** Whether the lease in it can be proven at that instant. */
  isGood(nowMs: number): boolean;
  /** The lease in it is renewed until then at most. */
  renewUntil(ms: number): void;
  /** Good no more, though still taken; it is not renewed. */
  spoil(): void;
  /** Gives the place back. Doing it again changes nothing. */
  free(): void;
}

/** Throws where a key is too long to be kept in the table. */
export function checkLeaseText({ redisKey, owner }: { redisKey: string; owner: string }): void {
  const bytes = Buffer.byteLength(redisKey) + Buffer.byteLength(owner);
  if (bytes <= MAX_TEXT_BYTES) return;
  throw new EscapementError('key_too_long', `the key's lease would take ${bytes} bytes in Redis`, {
    fix: `at most ${MAX_TEXT_BYTES}: take a shorter key`,
  });
}

export function createLeasePlaces(table: LeaseTable): LeasePlaces {
  // Place 0 is given first, and the one that was given back last: memory that is warm.
  const free = Array.from({ length: table.capacity }, (_, index) => table.capacity - 1 - index);
  return {
    take(entry) {
      const index = free.pop();
      if (index === undefined)
        throw new EscapementError('too_many_leases', `this process holds ${table.capacity} leases already`, {
          fix: 'lower the concurrency of the worker, or start more workers',
        });
      return placeAt(table, { index, entry, giveBack: () => free.push(index) });
    },
  };
}

function placeAt(
  table: LeaseTable,
  { index, entry, giveBack }: { index: number; entry: PlaceEntry; giveBack: () => void },
): LeasePlace {
  const generation = (table.word(index).generation + 1) & 0xffff;
  let given = true;
  table.put(index, entry, { deadlineMs: entry.deadlineMs, generation });
  return {
    isGood(nowMs) {
      return given && nowMs < table.word(index).deadlineMs;
    },
    renewUntil(ms) {
      if (given) table.setRenewUntil(index, ms);
    },
    spoil() {
      if (given) table.set(index, { deadlineMs: LOST, generation });
    },
    free() {
      if (!given) return;
      given = false;
      table.set(index, { deadlineMs: FREE, generation });
      giveBack();
    },
  };
}
