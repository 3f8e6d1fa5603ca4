import { expect, test } from 'vitest';
import { toBullJob, toParcels } from './parcels.ts';
import type { RunJob } from './run-job.ts';

function runs(count: number, changes: Partial<RunJob> = {}): RunJob[] {
  return Array.from({ length: count }, (_, at) => ({
    pool: 'p',
    runId: `r${at}${changes.priority ?? ''}`,
    dispatch: 1,
    delayMs: 0,
    ...changes,
  }));
}

const sizes = (jobs: readonly RunJob[]) => toParcels(jobs, 0).map((parcel) => parcel.runs.length);

test('few that are due together stay single', () => {
  expect(sizes(runs(19))).toEqual(Array.from({ length: 19 }, () => 1));
});

test('many that are due together go in bundles as equal as can be, in order', () => {
  expect(sizes(runs(20))).toEqual([20]);
  expect(sizes(runs(26))).toEqual([13, 13]);
  expect(toParcels(runs(70), 0).flatMap((parcel) => parcel.runs)).toEqual(runs(70));
});

test('what is late is due as what is due now; another millisecond or priority is another instant', () => {
  const late = runs(20).map((run, at) => ({ ...run, delayMs: -at }));
  expect(sizes(late)).toEqual([20]);
  expect(sizes(runs(30).map((run, at) => ({ ...run, delayMs: at * 2 })))).toHaveLength(30);
  expect(sizes([...runs(15, { priority: 1 }), ...runs(15, { priority: 2 })])).toHaveLength(30);
});

test('a run that is there twice is taken once', () => {
  expect(sizes([...runs(20), ...runs(20)])).toEqual([20]);
});

test('a bundle is held back until its runs are due, and has their priority', () => {
  const [parcel] = toParcels(runs(20, { delayMs: 100.5, priority: 100 }), 50);
  expect(parcel && toBullJob(parcel, 50)).toEqual([
    {
      name: 'bundle',
      data: { v: 2, runs: runs(20, { priority: 100 }).map(({ runId }) => [runId, 1]) },
      opts: expect.objectContaining({ jobId: parcel?.jobId, delay: 52, priority: 1 }),
    },
  ]);
});
