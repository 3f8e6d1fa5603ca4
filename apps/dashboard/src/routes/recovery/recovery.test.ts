import { expect, test } from 'vitest';
import type { BulkRequest } from '../../parts/bulk/state.ts';
import { dropAction, heldRequests, leftMs, runAction } from './held-action.ts';
import { recoverySearch } from './search.ts';

const request = (action: unknown): BulkRequest => ({
  id: '0192f0c1-0000-7000-8000-000000000001',
  action,
  askedBy: { kind: 'user', id: 'u', name: 'ann', address: null },
  reason: null,
  askedAt: '2026-11-25T12:00:00Z',
  answeredAt: null,
  takenBy: null,
  state: 'running',
  counts: { total: 60, done: 10, dropped: 0, passed: 2, refusedCount: 0, refused: [] },
  error: null,
});

test('what is asked for is all, a task, or single runs; a rate is the time between two', () => {
  const terms = { latestOnly: true, perMinute: 10, fromAt: '2026-11-26T02:00:00.000Z' };
  expect(runAction({}, terms)).toEqual({
    ...{ action: 'run_held', latestOnly: true, spacingMs: 6000, fromAt: '2026-11-26T02:00:00.000Z' },
  });
  expect(dropAction({ task: 'a' })).toEqual({ action: 'drop_held', task: 'a', latestOnly: false });
  expect(dropAction({ task: 'a', runs: ['x'] })).toEqual({ action: 'drop_held', runs: ['x'], latestOnly: false });
});

test('of all acts those on held runs are taken; those with a rate tell how long they still take', () => {
  const run = { kind: 'run_held', tasks: null, labels: null, latestOnly: false, runs: null, spacingMs: 2000 };
  const [held, ...others] = heldRequests([request({ kind: 'cancel_runs', tasks: null }), request(run)]);
  expect([held?.action.spacingMs, others]).toEqual([2000, []]);
  expect(held && leftMs(held)).toBe(48 * 2000);
  expect(held && leftMs({ ...held, state: 'paused' })).toBeNull();
});

test('what an address cannot mean is left out', () => {
  expect(recoverySearch.parse({ task: '' })).toEqual({ task: undefined });
});
