import { SECOND } from '@escapement/core';
import { createLoop, type Loop } from '@escapement/service';
import { type Database, rollUpHours, rollUpStale } from '@escapement/store';
import { NO_PROBES, type Probes } from './probes.ts';

const WAIT_MS = 5 * SECOND;
/** Between pieces, so that an hour of many tasks does not hold up what is due. */
const PACE_MS = 50;
/** Tasks in a piece, and notes of late ends. */
const BATCH = 500;

export interface RollUpOptions {
  db: Database;
  /** Asked before each look. Default: it looks each time. */
  probes?: Pick<Probes, 'see'>;
  onError: (error: unknown) => void;
}

/** Rolls up each hour of the ledger once it is over, and those in which a run has ended late. One scheduler at a time, by a row lock. */
export function createRollUp({ db, probes = NO_PROBES, onError }: RollUpOptions): Loop {
  /** A namespace that was never rolled up begins with the first look. */
  let begun = false;

  async function runOnce(): Promise<number> {
    if (begun && !(await probes.see('hours'))) return WAIT_MS;
    const notes = await rollUpStale(db, BATCH);
    const answer = await rollUpHours(db, BATCH);
    begun = true;
    return answer === 'rolled' || notes === BATCH ? PACE_MS : WAIT_MS;
  }

  return createLoop({ name: 'roll-up', runOnce, onError });
}
