import { MINUTE, SECOND } from '@escapement/core';
import { expect, test } from 'vitest';
import { checkAll } from './chaos/checker/index.ts';
import { CONTROLS } from './chaos/negative-controls.ts';
import { runScenario } from './chaos/scenario.ts';

const LEASE_MS = 4 * SECOND;

// A checker that was never red proves nothing. All at a time: each is a small fleet of its own, and mostly waits.
test.concurrent.each(CONTROLS)(
  'without the $guard.name the suite goes red on $breaks',
  async ({ guard, fault, breaks }) => {
    const evidence = await runScenario({
      schedulers: 1,
      workers: 2,
      leaseMs: LEASE_MS,
      seed: 1,
      size: 'small',
      faults: [fault],
      gapMs: 0,
      calmMs: 3 * SECOND,
      patienceMs: LEASE_MS + 6 * SECOND,
      patches: guard.patches,
      ...(guard.sql === undefined ? {} : { sql: guard.sql }),
    });
    const red = checkAll(evidence).filter(({ violations }) => violations.length > 0);
    expect(red.map(({ invariant }) => invariant.id)).toEqual(expect.arrayContaining(breaks));
    // Injected as it should be: else it would be red for that.
    expect(red.map(({ invariant }) => invariant.id)).not.toContain('F');
  },
  3 * MINUTE,
);
