import { MINUTE, SECOND } from '@escapement/core';
import { beforeAll, expect, test } from 'vitest';
import { checkAll, formatReport, INVARIANTS, type Verdict } from './chaos/checker/index.ts';
import { postgresRestarted, redisFlushed, redisRestarted, schedulerKilled, workerKilled } from './chaos/faults.ts';
import { runScenario } from './chaos/scenario.ts';

let verdicts: Verdict[] = [];

beforeAll(async () => {
  const evidence = await runScenario({
    schedulers: 2,
    workers: 2,
    loadMs: 60 * SECOND,
    leaseMs: 6 * SECOND,
    faults: [
      { atMs: 6 * SECOND, fault: redisFlushed },
      { atMs: 12 * SECOND, fault: workerKilled },
      { atMs: 24 * SECOND, fault: schedulerKilled },
      { atMs: 30 * SECOND, fault: redisRestarted },
      { atMs: 43 * SECOND, fault: postgresRestarted },
    ],
  });
  verdicts = checkAll(evidence);
  process.stdout.write(formatReport(evidence, verdicts));
}, 4 * MINUTE);

test.each(INVARIANTS)('$id: $title', (invariant) => {
  expect(verdicts.find((verdict) => verdict.invariant === invariant)?.violations).toEqual([]);
});
