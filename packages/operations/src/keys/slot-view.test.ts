import type { SeenLease } from '@escapement/core';
import type { KeySlot, SlotHolder } from '@escapement/store';
import { expect, test } from 'vitest';
import { slotViews } from './slot-view.ts';

const holder: SlotHolder = { runId: 'a', state: 'running', taskName: 't', attempt: 1, worker: 'w', since: null };
const slot = (changes: Partial<SlotHolder> | null): KeySlot => ({
  key: 'k',
  slot: 1,
  limit: 1,
  fence: 3n,
  waiting: 0,
  holder: changes && { ...holder, ...changes },
});
const lease = (runId: string, place = 1): SeenLease => ({
  key: 'k',
  slot: place,
  runId,
  worker: 'w',
  dispatch: 1,
  since: '2026-01-01T00:00:00.000Z',
  expiresInMs: 9000,
});

test.each([
  ['a run with its lease', slot({}), [lease('a')], { state: 'running', remark: null }],
  ['a run without a lease', slot({}), [], { state: 'running', remark: /no lease/ }],
  ['a run while Redis is away', slot({}), null, { state: 'running', remark: null }],
  ['a run beside the lease of another', slot({}), [lease('b')], { state: 'running', remark: /lease is that of run b/ }],
  ['a run between its attempts', slot({ state: 'retrying' }), [], { state: 'between attempts', remark: null }],
  ['a run queued for its second attempt', slot({ state: 'queued' }), [], { state: 'between attempts', remark: null }],
  ['the next in the wait queue', slot({ state: 'queued', attempt: 0 }), [], { state: 'reserved', remark: null }],
  ['a run that has ended', slot({ state: 'failed' }), [], { state: 'ended', remark: /reconciler/ }],
  ['a run that is gone', slot({ state: null }), [], { state: 'ended', remark: /reconciler/ }],
  ['nobody', slot(null), [], { state: 'free', remark: null }],
  ['nobody, and a lease', slot(null), [lease('b')], { state: 'leased', remark: /without a run/ }],
] as const)('a slot of %s', (_, given, leases, expected) => {
  const { state, remark } = expected;
  const [view] = slotViews([given], leases);
  expect(view).toMatchObject({ state, remark: remark && expect.stringMatching(remark) });
});

test('a lease on a slot that the ledger does not know is shown too, in its place', () => {
  const views = slotViews([slot({})], [lease('a'), lease('b', 2)]);
  expect(views.map(({ slot: place, state, fence }) => [place, state, fence])).toEqual([
    [1, 'running', 3n],
    [2, 'leased', null],
  ]);
});

test('of a list that was cut, nothing is said of leases behind its end', () => {
  const leases = [lease('a'), lease('b', 2), { ...lease('c'), key: 'j' }];
  const views = slotViews([slot({})], leases, { cut: true });
  expect(views.map(({ key, state }) => [key, state])).toEqual([
    ['j', 'leased'],
    ['k', 'running'],
  ]);
});
