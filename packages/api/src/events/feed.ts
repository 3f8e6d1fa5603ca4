import { randomUUID } from 'node:crypto';
import type { Clock } from '@escapement/core';
import { createLoop, type Loop, type OnError, systemTimer, type Timer } from '@escapement/service';
import { changesAfter, type Database, isChangeKept, latestChange, type StoredChanges } from '@escapement/store';
import { type Changes, changes } from './changes.ts';
import { createLookPace, LOOK_EVERY_MS } from './look-pace.ts';
import { createObserver } from './observer.ts';

/** What has changed, and its place among all changes. */
export interface Batch {
  id: number;
  changes: Changes;
}

export type Listener = (batch: Batch) => void;

/** Tells whoever listens in this process what has changed. While nobody does, nothing is looked at. */
export interface Feed {
  /** Listens from now on. `from`: the place after which it hears all. */
  listen(listener: Listener): Promise<{ from: number; stop: () => void }>;
  /** Whether all that came after a place is still known. */
  isKept(place: number): Promise<boolean>;
  /** What came after a place, up to another one. */
  between(after: number, upTo: number): AsyncIterable<Batch>;
  /** How many listen. */
  readonly size: number;
  stop(): Promise<void>;
}

export interface FeedOptions {
  db: Database;
  clock: Clock;
  /** By what a process of the fleet is taken for dead. Milliseconds. */
  deadMs: number;
  onError: OnError;
  timer?: Timer;
}

const PAGE = 200;

export function createFeed({ db, clock, deadMs, onError, timer = systemTimer }: FeedOptions): Feed {
  const observer = createObserver(db, { holder: randomUUID(), deadMs });
  const listeners = new Set<Listener>();
  /** Up to where they have heard. */
  let place: number | null = null;
  let loop: Loop | undefined;
  const waitAfter = createLookPace();

  async function pass(): Promise<number> {
    if (listeners.size === 0) return LOOK_EVERY_MS;
    const startedMs = clock.monotonicMs();
    await observer.look();
    await sendNew();
    return waitAfter(clock.monotonicMs() - startedMs);
  }

  async function sendNew(): Promise<void> {
    for (;;) {
      const page = await changesAfter(db, place ?? 0, PAGE);
      if (place === null) return;
      for (const batch of page.map(toBatch)) {
        place = batch.id;
        for (const listener of listeners) listener(batch);
      }
      if (page.length < PAGE) return;
    }
  }

  function begin(): void {
    if (loop) return;
    loop = createLoop({
      ...{ name: 'events', runOnce: pass, jitter: 0, clock, timer },
      onError: (error, { name }) => onError(error, { name }),
    });
    loop.start();
  }

  /** Nobody listens any more: another process may look. */
  async function end(): Promise<void> {
    const ended = loop;
    loop = undefined;
    place = null;
    await ended?.stop();
    if (ended && listeners.size === 0) await observer.stop().catch((error) => onError(error, { name: 'events' }));
  }

  return {
    get size() {
      return listeners.size;
    },
    async listen(listener) {
      const latest = place ?? (await latestChange(db));
      place ??= latest;
      listeners.add(listener);
      begin();
      return {
        from: place,
        stop() {
          listeners.delete(listener);
          if (listeners.size === 0) void end();
        },
      };
    },
    isKept: (at) => isChangeKept(db, at),
    async *between(after, upTo) {
      for (let at = after; at < upTo; ) {
        const page = await changesAfter(db, at, PAGE);
        for (const batch of page.map(toBatch)) {
          if (batch.id > upTo) return;
          yield batch;
          at = batch.id;
        }
        if (page.length < PAGE) return;
      }
    },
    async stop() {
      listeners.clear();
      await end();
    },
  };
}

function toBatch({ id, changes: kept }: StoredChanges): Batch {
  return { id, changes: changes.parse(kept) };
}
