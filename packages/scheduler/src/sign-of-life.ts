import type { Clock } from '@escapement/core';
import { createLoop, type Service } from '@escapement/service';
import { ALIVE_MS, type Database, noteAlive } from '@escapement/store';

export interface SignOfLifeOptions {
  db: Database;
  clock: Clock;
  onError: (error: unknown) => void;
}

/** Writes into the ledger that schedulers work on it, by which one that is restored from a dump knows how old it is. */
export function createSignOfLife({ db, clock, onError }: SignOfLifeOptions): Service {
  async function runOnce(): Promise<number> {
    await noteAlive(db);
    return ALIVE_MS;
  }
  return createLoop({ name: 'sign-of-life', runOnce, onError, clock });
}
