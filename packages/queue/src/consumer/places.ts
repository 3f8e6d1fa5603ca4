import { parseQueue } from '@escapement/core';

/** The places of a pool in one process: all its queues share them. */
export interface Places {
  readonly taken: number;
  /** Whether one is free and nobody waits for it. */
  readonly hasRoom: boolean;
  /** Takes one if one is free and nobody waits for it. */
  takeNow(): boolean;
  /** Takes one if one is free, or becomes free in time. */
  takeWithin(ms: number): Promise<boolean>;
  /** Takes one as soon as one is free; false: it was refused, or the caller has given up. */
  takeInTurn(onWait: (giveUp: () => void) => void): Promise<boolean>;
  /** Frees one; who has waited the longest has it. */
  free(): void;
  /** Who waits gets none. */
  refuse(): void;
}

export interface PlacesByPool {
  /** Those of the pool of a queue. */
  of(queue: string): Places;
  /** Who waits for any gets none. */
  refuse(): void;
}

export function createPlacesByPool(limit: number): PlacesByPool {
  const byPool = new Map<string, Places>();
  return {
    of(queue) {
      const { pool } = parseQueue(queue);
      const places = byPool.get(pool) ?? createPlaces(limit);
      byPool.set(pool, places);
      return places;
    },
    refuse() {
      for (const places of byPool.values()) places.refuse();
    },
  };
}

export function createPlaces(limit: number): Places {
  const waiting: ((got: boolean) => void)[] = [];
  let taken = 0;

  function wait(onWait: (giveUp: () => void) => void): Promise<boolean> {
    return new Promise((answer) => {
      waiting.push(answer);
      onWait(() => {
        const at = waiting.indexOf(answer);
        if (at >= 0) waiting.splice(at, 1);
        answer(false);
      });
    });
  }

  async function waitFor(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const got = await wait((giveUp) => {
      timer = setTimeout(giveUp, ms);
    });
    clearTimeout(timer);
    return got;
  }

  function hasRoom(): boolean {
    return taken < limit && waiting.length === 0;
  }

  function takeNow(): boolean {
    if (!hasRoom()) return false;
    taken += 1;
    return true;
  }

  return {
    get taken() {
      return taken;
    },
    get hasRoom() {
      return hasRoom();
    },
    takeNow,
    takeWithin: async (ms) => takeNow() || (await waitFor(ms)),
    takeInTurn: async (onWait) => takeNow() || (await wait(onWait)),
    free() {
      const next = waiting.shift();
      if (next) next(true);
      else taken -= 1;
    },
    refuse() {
      for (const answer of waiting.splice(0)) answer(false);
    },
  };
}
