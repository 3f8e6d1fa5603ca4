import { expect, test } from 'vitest';
import { bodyOf, EMPTY } from './draft.ts';
import { type Backfill, countsOf, shareOf } from './progress.ts';

const backfill: Backfill = {
  id: '0192f0c1-0000-7000-8000-000000000001',
  taskId: '0192f0c1-0000-7000-8000-000000000002',
  taskName: 'nightly',
  state: 'running',
  fromAt: '2026-11-01T00:00:00Z',
  toAt: '2026-11-05T00:00:00Z',
  reprocess: 'none',
  concurrency: 1,
  reverse: false,
  requestedBy: 'ann',
  seq: 1,
  cursorAt: '2026-11-02T00:00:00Z',
  made: 4,
  kept: 2,
  error: null,
  createdAt: '2026-11-25T00:00:00Z',
  endedAt: null,
  progress: { succeeded: 2, timed_out: 1, skipped: 1, running: 1, queued: 3 },
};

test('how far one is is told by the time that lies behind it, in its direction', () => {
  expect(shareOf(backfill)).toBe(0.25);
  expect(shareOf({ ...backfill, reverse: true })).toBe(0.75);
  expect(shareOf({ ...backfill, cursorAt: null })).toBe(0);
  expect(shareOf({ ...backfill, cursorAt: null, state: 'done' })).toBe(1);
});

test('runs that have not begun are those that a stop cancels', () => {
  expect(countsOf(backfill)).toEqual({ succeeded: 2, failed: 1, notRun: 1, open: 4, waiting: 3 });
});

test('what is asked for has a task and a beginning; without an end it goes up to now', () => {
  const filled = { ...EMPTY, task: ' nightly ', from: '2026-11-01T02:00', concurrency: '' };
  expect(bodyOf(EMPTY)).toBeNull();
  expect(bodyOf(filled)).toEqual({
    ...{ task: 'nightly', fromAt: new Date('2026-11-01T02:00').toISOString() },
    ...{ reprocess: 'none', concurrency: 1, reverse: false },
  });
});
