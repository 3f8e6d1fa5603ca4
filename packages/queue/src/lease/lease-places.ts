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
  // As many bytes as there can be; counting them costs more.
  // Equivalent mutant (guard removed): this is a short cut: the bytes are counted below.
  // Equivalent mutant (border): this is a short cut: the bytes are counted below.
  if ((redisKey.length + owner.length) * 3 <= MAX_TEXT_BYTES) return;
  const bytes = Buffer.byteLength(redisKey) + Buffer.byteLength(owner);
  if (bytes <= MAX_TEXT_BYTES) return;
  throw new EscapementError('key_too_long', `the key's lease would take ${bytes} bytes in Redis`, {
    fix: `at most ${MAX_TEXT_BYTES}: take a shorter key`,
  });
}

export function createLeasePlaces(table: LeaseTable): LeasePlaces {
  // Place 0 is given first, and the one that was given back last: memory that is warm.
  const free = Array.from({ length: table.capacity }, (_, index) => table.capacity - 1 - index);
  const giveBack = (index: number) => void free.push(index);
  return {
    take(entry) {
      const index = free.pop();
      if (index === undefined)
        throw new EscapementError('too_many_leases', `this process holds ${table.capacity} leases already`, {
          fix: 'lower the concurrency of the worker, or start more workers',
        });
      return new Place(table, index, entry, giveBack);
    },
  };
}

/** A class, since there is one for each run: its methods are made once. */
class Place implements LeasePlace {
  private readonly table: LeaseTable;
  private readonly index: number;
  private readonly generation: number;
  private readonly giveBack: (index: number) => void;
  private given = true;

  constructor(table: LeaseTable, index: number, entry: PlaceEntry, giveBack: (index: number) => void) {
    this.table = table;
    this.index = index;
    this.generation = (table.word(index).generation + 1) & 0xffff;
    this.giveBack = giveBack;
    table.put(index, entry, { deadlineMs: entry.deadlineMs, generation: this.generation });
  }

  isGood(nowMs: number): boolean {
    return this.given && nowMs < this.table.word(this.index).deadlineMs;
  }

  renewUntil(ms: number): void {
    if (this.given) this.table.setRenewUntil(this.index, ms);
  }

  spoil(): void {
    if (this.given) this.table.set(this.index, { deadlineMs: LOST, generation: this.generation });
  }

  free(): void {
    if (!this.given) return;
    this.given = false;
    this.table.set(this.index, { deadlineMs: FREE, generation: this.generation });
    this.giveBack(this.index);
  }
}
