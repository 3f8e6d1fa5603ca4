import { MINUTE, SECOND } from '@escapement/core';
import { beforeAll, expect, test } from 'vitest';
import { checkAll, firstViolations, formatReport, INVARIANTS, type Verdict } from './checker/index.ts';
import { type Fault, SMALL_MAX_BLOCK } from './faults/index.ts';
import { runScenario } from './scenario.ts';

/** Each fault once, small, under a mixed load on a fleet of 3 schedulers and 3 workers; a test for each promise. */
export function testFaultsOnce(faults: readonly Fault[]): void {
  let verdicts: Verdict[] = [];

  beforeAll(async () => {
    const evidence = await runScenario({
      schedulers: 3,
      workers: 3,
      leaseMs: 5 * SECOND,
      seed: 1,
      size: 'small',
      faults: faults.filter(isAvailable),
      gapMs: 0.3 * SECOND,
      calmMs: 5 * SECOND,
      patches: [SMALL_MAX_BLOCK],
    });
    verdicts = checkAll(evidence);
    process.stdout.write(formatReport(evidence, verdicts));
  }, 12 * MINUTE);

  test.each(INVARIANTS)('$id: $title', (invariant) => {
    expect(firstViolations(verdicts, invariant)).toEqual([]);
  });
}

function isAvailable({ title, unavailable }: Fault): boolean {
  const why = unavailable?.();
  if (why !== undefined) process.stdout.write(`left out: ${title}: ${why}\n`);
  return why === undefined;
}
