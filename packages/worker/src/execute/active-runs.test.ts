import { expect, test } from 'vitest';
import { createActiveRuns } from './active-runs.ts';

test('a worker that Postgres does not hear aborts what no lease proves, also what has not begun yet', () => {
  const active = createActiveRuns();
  const aborted: string[] = [];
  const hold = (runId: string, leasedForMs?: number) => {
    active.claim(runId, 1);
    if (leasedForMs !== undefined) active.proveBy(runId, (ms) => ms < leasedForMs);
  };
  const begin = (runId: string) => active.onAbort(runId, (reason) => aborted.push(`${runId} ${reason}`));
  hold('leased', 5000);
  hold('nearly over', 1500);
  hold('without a lease');
  hold('not begun');
  for (const runId of ['leased', 'nearly over', 'without a lease']) begin(runId);
  active.abortUnproven(2000);
  expect(aborted).toEqual(['nearly over lease_lost', 'without a lease lease_lost']);
  begin('not begun');
  expect(aborted).toContain('not begun lease_lost');
});
