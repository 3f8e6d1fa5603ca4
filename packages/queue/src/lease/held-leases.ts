import type { LeaseHolder } from './lease-holder.ts';
import { createLeasePlaces, type LeasePlace } from './lease-places.ts';
import { type LeaseTable, sharedNowMs } from './lease-table.ts';

export interface Lease {
  readonly key: string;
  readonly slot: number;
  readonly runId: string;
  /** Aborts when the lease can no longer be proven. Comes late where the event loop is blocked: see `isValid`. */
  readonly lost: AbortSignal;
  /** The truth at this instant, without asking Redis. Look before each commit. */
  isValid(): boolean;
  /** Whether it can still be proven so many milliseconds from now, without a further renewal. */
  isValidFor(ms: number): boolean;
  /** From now on it is renewed for so long at most: a run that hangs does not hold its key for ever. Milliseconds. */
  limitHold(ms: number): void;
  /**
   * Gives the slot back; with the id of the run that is next, to that run for `RESERVATION_MS`, then to anyone. Never
   * rejects: what Redis does not hear expires.
   */
  release(nextRunId?: string): Promise<void>;
}

/** A lease that Redis has just given. */
export interface GrantedLease {
  key: string;
  redisKey: string;
  /** What marks it as ours in Redis. */
  owner: string;
  holder: LeaseHolder;
  deadlineMs: number;
  renewUntilMs: number;
}

export interface LeaseCounts {
  held: number;
  /** Since the start, those that could not be proven any more before they were given back. */
  lost: number;
}

/** The leases of this process, as the main thread sees them. */
export interface HeldLeases {
  counts(): LeaseCounts;
  hold(granted: GrantedLease): Lease;
  /** This process' own good lease of a run, if it has one. */
  ofRun(key: string, runId: string): LeaseHolder | undefined;
  /** Notes that the main loop is alive, and aborts what was lost. */
  look(): void;
  /** Counts all as lost; Redis keeps them until they expire. */
  abandon(): void;
}

export function createHeldLeases(
  table: LeaseTable,
  releaseInRedis: (granted: GrantedLease, nextRunId: string | undefined) => Promise<void>,
): HeldLeases {
  const places = createLeasePlaces(table);
  const bySlot = new Map<string, HeldLease>();
  const byRun = new Map<string, HeldLease>();
  let lost = 0;

  function lose(held: HeldLease): void {
    if (held.lose()) lost++;
  }

  function release(held: HeldLease, nextRunId: string | undefined): Promise<void> {
    const { granted, place } = held;
    const { redisKey, key, holder } = granted;
    place.free();
    if (byRun.get(runKey(key, holder.runId)) === held) byRun.delete(runKey(key, holder.runId));
    if (bySlot.get(redisKey) !== held) return Promise.resolve();
    bySlot.delete(redisKey);
    return releaseInRedis(granted, nextRunId);
  }

  return {
    counts: () => ({ held: bySlot.size, lost }),
    hold(granted) {
      const { key, redisKey, holder } = granted;
      // Ours already, and taken again: whoever had it before lost it.
      const before = bySlot.get(redisKey);
      const held = new HeldLease(granted, places.take(granted), release);
      if (before) lose(before);
      bySlot.set(redisKey, held);
      byRun.set(runKey(key, holder.runId), held);
      return held;
    },
    ofRun(key, runId) {
      const held = byRun.get(runKey(key, runId));
      return held?.isValid() ? held.granted.holder : undefined;
    },
    look() {
      const nowMs = sharedNowMs();
      table.noteLoopAlive(nowMs);
      for (const held of bySlot.values()) if (!held.place.isGood(nowMs)) lose(held);
    },
    abandon() {
      for (const held of bySlot.values()) held.lose();
    },
  };
}

/** A class, since there is one for each run: its methods are made once, and its signal only if somebody asks for it. */
class HeldLease implements Lease {
  readonly key: string;
  readonly slot: number;
  readonly runId: string;
  readonly granted: GrantedLease;
  readonly place: LeasePlace;
  private readonly giveBack: (held: HeldLease, nextRunId: string | undefined) => Promise<void>;
  private isLost = false;
  private abort: AbortController | undefined;

  constructor(granted: GrantedLease, place: LeasePlace, giveBack: HeldLease['giveBack']) {
    this.key = granted.key;
    this.slot = granted.holder.slot;
    this.runId = granted.holder.runId;
    this.granted = granted;
    this.place = place;
    this.giveBack = giveBack;
  }

  get lost(): AbortSignal {
    this.abort ??= new AbortController();
    if (this.isLost) this.abort.abort('lease_lost');
    return this.abort.signal;
  }

  isValid(): boolean {
    return this.place.isGood(sharedNowMs());
  }

  isValidFor(ms: number): boolean {
    return this.place.isGood(sharedNowMs() + ms);
  }

  limitHold(ms: number): void {
    this.place.renewUntil(sharedNowMs() + ms);
  }

  /** Whether this is news. */
  lose(): boolean {
    const isNews = !this.isLost;
    this.place.spoil();
    this.isLost = true;
    this.abort?.abort('lease_lost');
    return isNews;
  }

  release(nextRunId?: string): Promise<void> {
    return this.giveBack(this, nextRunId);
  }
}

function runKey(key: string, runId: string): string {
  return `${runId} ${key}`;
}
