import { ManualClock, SECOND } from '@escapement/core';
import { expect, it } from 'vitest';
import type { RunJob } from './run-job.ts';
import type { RunQueue } from './run-queue.ts';
import { letBurstsStepBack, MAX_IN_WINDOW, WINDOW_MS } from './step-back.ts';

function recording() {
  const added: RunJob[] = [];
  const clock = new ManualClock(new Date('2026-01-01T00:00:00.020Z'));
  const add: RunQueue['add'] = async (jobs) => {
    added.push(...jobs);
    return [];
  };
  const queue = letBurstsStepBack({ add } as RunQueue, { clock });
  let runs = 0;
  const jobs = (count: number, more: Partial<RunJob> = {}): RunJob[] =>
    Array.from({ length: count }, () => ({ runId: `r${++runs}`, queue: 'p', dispatch: 1, delayMs: 5000, ...more }));
  return { queue, clock, jobs, backs: () => added.splice(0).map(({ stepsBack = false }) => stepsBack) };
}

const ofEach = (front: number, back: number) => [
  ...Array.from({ length: front }, () => false),
  ...Array.from({ length: back }, () => true),
];

it('lets those beyond fifty that are due in the same 20 ms step back, however they come', async () => {
  const { queue, jobs, backs } = recording();
  await queue.add(jobs(MAX_IN_WINDOW - 1));
  await queue.add(jobs(3));
  expect(backs()).toEqual(ofEach(MAX_IN_WINDOW, 2));
});

it('counts each queue and each window for itself', async () => {
  const { queue, jobs, backs } = recording();
  await queue.add(jobs(MAX_IN_WINDOW + 1));
  await queue.add([
    ...jobs(1, { queue: 'other' }),
    ...jobs(1, { delayMs: 5000 + WINDOW_MS }),
    ...jobs(1, { delayMs: 5019 }),
  ]);
  expect(backs()).toEqual([...ofEach(MAX_IN_WINDOW, 1), false, false, true]);
});

it('counts what is overdue when it comes, and apart from what is due then', async () => {
  const { queue, clock, jobs, backs } = recording();
  await queue.add(jobs(MAX_IN_WINDOW, { delayMs: -3_600_000 }));
  await queue.add([...jobs(1, { delayMs: -10_001 }), ...jobs(1, { delayMs: 0 })]);
  clock.advance(WINDOW_MS);
  await queue.add(jobs(1, { delayMs: -10_001 }));
  expect(backs()).toEqual([...ofEach(MAX_IN_WINDOW, 1), false, false]);
});

it('counts what comes a little late where it was due: it is one of a burst only if many were due with it', async () => {
  const { queue, clock, jobs, backs } = recording();
  await queue.add(jobs(MAX_IN_WINDOW, { delayMs: 0 }));
  clock.advance(5 * WINDOW_MS);
  await queue.add([...jobs(1, { delayMs: -5 * WINDOW_MS }), ...jobs(1, { delayMs: -4 * WINDOW_MS })]);
  expect(backs()).toEqual([...ofEach(MAX_IN_WINDOW, 1), false]);
});

it('goes by the clock that decides where the job carries its due time', async () => {
  const { queue, clock, jobs, backs } = recording();
  const dueMs = clock.now().getTime() + 300;
  await queue.add(jobs(MAX_IN_WINDOW, { delayMs: 200, dueMs }));
  await queue.add([...jobs(1, { delayMs: 250, dueMs }), ...jobs(1, { delayMs: 200, dueMs: dueMs - WINDOW_MS })]);
  expect(backs()).toEqual([...ofEach(MAX_IN_WINDOW, 1), false]);
});

it('leaves a run that has had its turn where it is, and does not count it', async () => {
  const { queue, jobs, backs } = recording();
  await queue.add(jobs(MAX_IN_WINDOW + 5, { first: true }));
  await queue.add(jobs(MAX_IN_WINDOW));
  expect(backs()).toEqual(ofEach(2 * MAX_IN_WINDOW + 5, 0));
});

it('forgets windows that are over, and no other', async () => {
  const { queue, clock, jobs, backs } = recording();
  await queue.add(jobs(MAX_IN_WINDOW, { delayMs: 200_000 }));
  for (let windows = 0; windows < 2600; windows++) {
    await queue.add(jobs(1, { delayMs: 0 }));
    clock.advance(WINDOW_MS);
  }
  backs();
  await queue.add(jobs(1, { delayMs: 200_000 - 2600 * WINDOW_MS }));
  expect(backs()).toEqual([true]);
});

it('forgets once in ten seconds what nothing that comes can be counted with any more', async () => {
  const { queue, clock, jobs, backs } = recording();
  const start = clock.now();
  await queue.add(jobs(MAX_IN_WINDOW, { delayMs: 0 }));
  await queue.add(jobs(MAX_IN_WINDOW, { delayMs: WINDOW_MS }));
  clock.advance(10 * SECOND + WINDOW_MS);
  await queue.add(jobs(1));
  backs();
  // Only a clock that is set back shows what is forgotten.
  clock.set(start);
  await queue.add([...jobs(1, { delayMs: 0 }), ...jobs(1, { delayMs: WINDOW_MS })]);
  expect(backs()).toEqual([false, true]);
});
