import { MINUTE, SECOND } from '@escapement/core';
import { expect, test } from 'vitest';
import { checkAll } from './chaos/checker/index.ts';
import type { Guard } from './chaos/guards.ts';
import { CONTROLS, type Control } from './chaos/negative-controls.ts';
import { isChaosAsked } from './chaos/options.ts';
import { runScenario, type Scenario } from './chaos/scenario.ts';

const LEASE_MS = 4 * SECOND;

function scenarioOf({ fault }: Control, guard?: Guard): Scenario {
  return {
    schedulers: 1,
    workers: 2,
    leaseMs: LEASE_MS,
    seed: 1,
    size: 'small',
    faults: [fault],
    gapMs: 0,
    calmMs: 3 * SECOND,
    patienceMs: LEASE_MS + 10 * SECOND,
    ...guard,
  };
}

async function redAfter(scenario: Scenario): Promise<string[]> {
  const verdicts = checkAll(await runScenario(scenario));
  return verdicts.filter(({ violations }) => violations.length > 0).map(({ invariant }) => invariant.id);
}

// A checker that was never red proves nothing. All at a time: each is a small fleet of its own, and mostly waits.
test.concurrent.each(CONTROLS)(
  'without the $guard.name the suite goes red on $breaks',
  async (control) => {
    const red = await redAfter(scenarioOf(control, control.guard));
    expect(red).toEqual(expect.arrayContaining(control.breaks));
    // Injected as it should be: else it would be red for that.
    expect(red).not.toContain('F');
  },
  10 * MINUTE,
);

// The other half takes as long again: by hand, npm run chaos -- --negative-controls.
if (isChaosAsked())
  test.each(CONTROLS)(
    'with the $guard.name the same fault breaks nothing',
    async (control) => {
      expect(await redAfter(scenarioOf(control))).toEqual([]);
    },
    10 * MINUTE,
  );
