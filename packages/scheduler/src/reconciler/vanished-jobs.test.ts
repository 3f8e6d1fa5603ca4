import { ManualClock, SECOND } from '@escapement/core';
import { expect, test } from 'vitest';
import { createVanishedJobs } from './queue-blocks.ts';

const JOB = { id: 'run', dispatch: 1, queue: 'eaten' };

/** Jobs that vanish, a second apart. */
function setUp() {
  const clock = new ManualClock();
  const vanished = createVanishedJobs(clock);
  return {
    clock,
    vanished,
    vanish(times: number, job = JOB): string[] {
      for (let time = 0; time < times; time++) {
        clock.advance(SECOND);
        vanished.add([job]);
      }
      return vanished.queues();
    },
  };
}

test('a queue is taken from when one job has vanished three times, and is named once', () => {
  const { vanish } = setUp();
  expect(vanish(2)).toEqual([]);
  expect(vanish(1)).toEqual(['eaten']);
  expect(vanish(3, { ...JOB, id: 'other' })).toEqual(['eaten']);
  expect(vanish(3, { ...JOB, id: 'third', queue: 'eaten-too' })).toEqual(['eaten', 'eaten-too']);
});

test.each([{ id: 'other' }, { dispatch: 2 }])('another job, of %j, is counted on its own', (other) => {
  const { vanish } = setUp();
  vanish(2);
  expect(vanish(2, { ...JOB, ...other })).toEqual([]);
  expect(vanish(1)).toEqual(['eaten']);
});

test('that a queue is taken from is said for 30 seconds after the last job that vanished', () => {
  const { clock, vanished, vanish } = setUp();
  vanish(3);
  clock.advance(30 * SECOND);
  expect(vanished.queues()).toEqual(['eaten']);
  clock.advance(1);
  expect(vanished.queues()).toEqual([]);
});

test.each([
  [30 * SECOND, ['eaten']],
  [30 * SECOND + 1, []],
])('what vanished %d ms before counts: %j', (ms, queues) => {
  const { clock, vanished, vanish } = setUp();
  vanish(2);
  clock.advance(ms);
  vanished.add([JOB]);
  expect(vanished.queues()).toEqual(queues);
});

test.each([
  [9_999, ['eaten']],
  [10_000, []],
])('10,000 jobs are remembered: what vanished before %d others counts: %j', (count, queues) => {
  const { vanished, vanish } = setUp();
  vanish(2);
  vanished.add(Array.from({ length: count }, (_, index) => ({ id: `other-${index}`, dispatch: 1, queue: 'others' })));
  expect(vanish(1)).toEqual(queues);
});

test('all is forgotten where Redis itself has lost the jobs', () => {
  const { vanished, vanish } = setUp();
  vanish(3);
  vanished.clear();
  expect(vanished.queues()).toEqual([]);
  expect(vanish(2)).toEqual([]);
});
