import { expect, test } from 'vitest';
import { type ActiveRuns, createActiveRuns } from './active-runs.ts';

/** A worker with a margin of 2 s, whom Postgres hears as long as `stage.isHeard`. */
function stageOf() {
  const stage = { isHeard: true };
  const active = createActiveRuns({ isHeard: () => stage.isHeard, marginMs: 2000 });
  const aborted: string[] = [];
  return {
    ...{ stage, active, aborted },
    hold(runId: string, leasedForMs?: number) {
      active.claim(runId, 1);
      if (leasedForMs !== undefined) active.proveBy(runId, (ms) => ms < leasedForMs);
    },
    begin: (runId: string) => active.onAbort(runId, (reason) => aborted.push(`${runId} ${reason}`)),
  };
}

/** Postgres is away for a while, and the worker finds that nothing proves its runs. */
function loseHeartbeats(stage: { isHeard: boolean }, active: ActiveRuns): void {
  stage.isHeard = false;
  active.abortUnproven();
}

test('a worker that Postgres does not hear aborts what no lease proves', () => {
  const { stage, active, aborted, hold, begin } = stageOf();
  hold('leased', 5000);
  hold('nearly over', 1500);
  hold('without a lease');
  for (const runId of ['leased', 'nearly over', 'without a lease']) begin(runId);
  loseHeartbeats(stage, active);
  expect(aborted).toEqual(['nearly over lease_lost', 'without a lease lease_lost']);
});

test('a run whose begin was asked for before its proof was lost is aborted when its begin is answered', () => {
  const { stage, active, aborted, hold, begin } = stageOf();
  hold('asked');
  expect(active.mayBegin('asked')).toBe(true);
  loseHeartbeats(stage, active);
  stage.isHeard = true;
  begin('asked');
  expect(aborted).toEqual(['asked lease_lost']);
});

test('a run that had not begun when its proof was lost begins once it is proven, and not before', () => {
  const { stage, active, aborted, hold, begin } = stageOf();
  hold('heard again');
  hold('leased since');
  loseHeartbeats(stage, active);
  active.proveBy('leased since', () => true);
  expect(active.mayBegin('leased since')).toBe(true);
  expect(active.mayBegin('heard again')).toBe(false);
  stage.isHeard = true;
  expect(active.mayBegin('heard again')).toBe(true);
  for (const runId of ['heard again', 'leased since']) begin(runId);
  expect(aborted).toEqual([]);
});

test.each(['shutdown', 'cancelled'] as const)('an abort as %s stays, though a proof was lost before it', (reason) => {
  const { stage, active, aborted, hold, begin } = stageOf();
  hold('run');
  loseHeartbeats(stage, active);
  stage.isHeard = true;
  if (reason === 'shutdown') active.abortAll('shutdown');
  else active.cancel('run', { who: 'ann', reason: null });
  expect(active.mayBegin('run')).toBe(true);
  begin('run');
  expect(aborted).toEqual([`run ${reason}`]);
});
