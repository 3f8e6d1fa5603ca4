import { expect, it } from 'vitest';
import { frozenReason, isDecidedPause, poolPausedReason } from './pause.ts';

it('the reasons of a freeze, and of a pool that is paused, have the note where there is one', () => {
  expect([frozenReason(null), frozenReason('audit')]).toEqual(['the fleet was frozen', 'the fleet was frozen: audit']);
  expect([poolPausedReason('big', null), poolPausedReason('big', 'new disk')]).toEqual([
    'the pool "big" is paused',
    'the pool "big" is paused: new disk',
  ]);
});

it('a pause that a run has decided is known by its reason', () => {
  const id = '01a21a70-e62a-7cc2-a816-9ced28749b0f';
  expect([
    isDecidedPause(`paused: run ${id} asked for it`),
    isDecidedPause('paused: new disk'),
    isDecidedPause(`it was paused: run ${id} asked for it`),
  ]).toEqual([true, false, false]);
});
