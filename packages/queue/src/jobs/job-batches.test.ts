import { expect, test } from 'vitest';
import { toBullJob, toJobBatches } from './job-batches.ts';
import type { RunJob } from './run-job.ts';

function runs(count: number, changes: Partial<RunJob> = {}): RunJob[] {
  return Array.from({ length: count }, (_, at) => ({
    queue: 'p',
    runId: `r${at}${changes.priority ?? ''}`,
    dispatch: 1,
    delayMs: 0,
    ...changes,
  }));
}

const sizes = (jobs: readonly RunJob[]) => toJobBatches(jobs, 0).map((batch) => batch.runs.length);

test('few that are due at one instant stay single', () => {
  expect(sizes(runs(9))).toEqual(Array.from({ length: 9 }, () => 1));
});

test('many that are due together go in bundles as equal as can be, in order', () => {
  expect(sizes(runs(20))).toEqual([20]);
  expect(sizes(runs(26))).toEqual([13, 13]);
  expect(toJobBatches(runs(70), 0).flatMap((batch) => batch.runs)).toEqual(runs(70));
});

test('what is late is due as what is due now; another millisecond or priority is another instant', () => {
  const late = runs(20).map((run, at) => ({ ...run, delayMs: -at }));
  expect(sizes(late)).toEqual([20]);
  expect(sizes(runs(30).map((run, at) => ({ ...run, delayMs: at * 2 })))).toHaveLength(30);
  expect(sizes([...runs(9, { priority: 1 }), ...runs(9, { priority: 2 })])).toHaveLength(18);
});

const due = (afterMs: number): RunJob[] => runs(1, { delayMs: 100 + afterMs, dueMs: 60_000 + afterMs });

test('two that are due at different instants of a window go together, those of two windows do not', () => {
  const atMs = (...dues: number[]) =>
    dues.flatMap((afterMs, at) => due(afterMs).map((run) => ({ ...run, runId: `r${at}` })));
  expect(sizes(atMs(0, 199))).toEqual([2]);
  expect(sizes(atMs(199, 200))).toEqual([1, 1]);
  expect(sizes(atMs(50, 50))).toEqual([1, 1]);
  expect(sizes(atMs(50, 50, 51))).toEqual([3]);
});

test('few that are due now stay single, whenever they were due', () => {
  expect(sizes(runs(9).map((run, at) => ({ ...run, dueMs: 60_000 - at })))).toEqual(Array.from({ length: 9 }, () => 1));
});

test('what a worker holds until it is due goes together within a window, who is due first in front', () => {
  const spread = Array.from({ length: 40 }, (_, at) => due((at * 7) % 40)[0]).flatMap((run) => run ?? []);
  const numbered = spread.map((run, at) => ({ ...run, runId: `r${at}` }));
  const batches = toJobBatches(numbered, 0).map((batch) => batch.runs.map(({ dueMs = 0 }) => dueMs - 60_000));
  expect(batches).toHaveLength(2);
  for (const batch of batches) expect(batch).toEqual(batch.toSorted((one, other) => one - other));
  expect(batches.map((batch) => [batch[0], batch.at(-1)])).toEqual(
    expect.arrayContaining([
      [0, 19],
      [20, 39],
    ]),
  );
});

test('the job of a run that is told when it is due is ready 32 ms before', () => {
  const [batch] = toJobBatches(runs(1, { delayMs: 100, dueMs: 5000 }), 50);
  expect(batch && toBullJob(batch, 50)).toMatchObject([{ data: { dueMs: 5000 }, opts: { delay: 19 } }]);
  const [soon] = toJobBatches(runs(1, { delayMs: 20, dueMs: 5000 }), 0);
  expect(soon && toBullJob(soon, 0)).toMatchObject([{ opts: { delay: 0 } }]);
});

test('a run that is there twice is taken once', () => {
  expect(sizes([...runs(20), ...runs(20)])).toEqual([20]);
});

test('a bundle is held back until its runs are due, and has their priority', () => {
  const [batch] = toJobBatches(runs(20, { delayMs: 100.5, priority: 100 }), 50);
  expect(batch && toBullJob(batch, 50)).toEqual([
    {
      name: 'bundle',
      data: { v: 2, runs: runs(20, { priority: 100 }).map(({ runId }) => [runId, 1, null]) },
      opts: expect.objectContaining({ jobId: batch?.jobId, delay: 52, priority: 1 }),
    },
  ]);
});
