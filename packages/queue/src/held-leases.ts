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

/** The leases of this process, as the main thread sees them. */
export interface HeldLeases {
  readonly size: number;
  hold(granted: GrantedLease): Lease;
  /** This process' own good lease of a run, if it has one. */
  ofRun(key: string, runId: string): LeaseHolder | undefined;
  /** Notes that the main loop is alive, and aborts what was lost. */
  look(): void;
  /** Counts all as lost; Redis keeps them until they expire. */
  abandon(): void;
}

interface Held {
  granted: GrantedLease;
  place: LeasePlace;
  abort: AbortController;
}

export function createHeldLeases(
  table: LeaseTable,
  releaseInRedis: (granted: GrantedLease, nextRunId: string | undefined) => Promise<void>,
): HeldLeases {
  const places = createLeasePlaces(table);
  const bySlot = new Map<string, Held>();
  const byRun = new Map<string, Held>();

  function lose({ place, abort }: Held): void {
    place.spoil();
    if (!abort.signal.aborted) abort.abort('lease_lost');
  }

  function forget(held: Held): void {
    const { redisKey, key, holder } = held.granted;
    held.place.free();
    if (bySlot.get(redisKey) === held) bySlot.delete(redisKey);
    if (byRun.get(runKey(key, holder.runId)) === held) byRun.delete(runKey(key, holder.runId));
  }

  return {
    get size() {
      return bySlot.size;
    },
    hold(granted) {
      const { key, redisKey, holder } = granted;
      // Ours already, and taken again: whoever had it before lost it.
      const before = bySlot.get(redisKey);
      const held: Held = { granted, place: places.take(granted), abort: new AbortController() };
      if (before) lose(before);
      bySlot.set(redisKey, held);
      byRun.set(runKey(key, holder.runId), held);
      return {
        key,
        slot: holder.slot,
        runId: holder.runId,
        lost: held.abort.signal,
        isValid: () => held.place.isGood(sharedNowMs()),
        isValidFor: (ms) => held.place.isGood(sharedNowMs() + ms),
        limitHold: (ms) => held.place.renewUntil(sharedNowMs() + ms),
        async release(nextRunId) {
          const isCurrent = bySlot.get(redisKey) === held;
          forget(held);
          if (isCurrent) await releaseInRedis(granted, nextRunId);
        },
      };
    },
    ofRun(key, runId) {
      const held = byRun.get(runKey(key, runId));
      return held?.place.isGood(sharedNowMs()) ? held.granted.holder : undefined;
    },
    look() {
      const nowMs = sharedNowMs();
      table.beat(nowMs);
      for (const held of bySlot.values()) if (!held.place.isGood(nowMs)) lose(held);
    },
    abandon() {
      for (const held of bySlot.values()) lose(held);
    },
  };
}

function runKey(key: string, runId: string): string {
  return `${runId} ${key}`;
}
