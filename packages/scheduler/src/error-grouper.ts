import { SECOND } from '@escapement/core';
import { groupFailures } from '@escapement/operations';
import { createLoop, type Loop } from '@escapement/service';
import type { Database } from '@escapement/store';
import { NO_PROBES, type Probes } from './probes.ts';

const WAIT_MS = 1 * SECOND;
/** Between pieces, so that the failures of an outage do not hold up what is due. */
const PACE_MS = 50;
const BATCH = 500;

export interface ErrorGrouperOptions {
  db: Database;
  /** Asked before each look. Default: it looks each time. */
  probes?: Pick<Probes, 'see'>;
  onError: (error: unknown) => void;
}

/** Says of each run that has failed for good which others failed alike. Any number of schedulers may. */
export function createErrorGrouper({ db, probes = NO_PROBES, onError }: ErrorGrouperOptions): Loop {
  async function runOnce(): Promise<number> {
    if (!(await probes.see('failures'))) return WAIT_MS;
    return (await groupFailures(db, BATCH)) === BATCH ? PACE_MS : WAIT_MS;
  }

  return createLoop({ name: 'error grouper', runOnce, onError });
}
