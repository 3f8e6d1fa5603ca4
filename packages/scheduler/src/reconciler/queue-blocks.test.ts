import { type Clock, type EngineEvent, MINUTE, type QueueBlock } from '@escapement/core';
import type { Database } from '@escapement/store';
import { expect, test } from 'vitest';
import { queueBlocksStep } from './queue-blocks.ts';

const BLOCK: QueueBlock = { queue: 'default', kind: 'paused', since: '2026-06-01T12:00:00.000Z' };

/** The step over queues that are as the ledger knows them already, so that nothing is written. */
function setUp() {
  let nowMs = 1000 * MINUTE;
  let known: QueueBlock[] = [];
  const told: EngineEvent['event'][] = [];
  const clock: Clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs };
  const step = queueBlocksStep(
    {
      db: {} as Database,
      contents: { lookForBlocks: async () => known },
      clock,
      emit: ({ event }) => void told.push(event),
    },
    {
      get blocked() {
        return known;
      },
    },
    { queues: () => [] },
    () => ['default'],
  );
  return {
    async after(ms: number, blocks: QueueBlock[]) {
      nowMs += ms;
      known = blocks;
      await step.heal();
      return told.splice(0);
    },
  };
}

test('queues that are open are not told of, however long', async () => {
  const { after } = setUp();
  for (let look = 0; look < 3; look++) expect(await after(5 * MINUTE, [])).toEqual([]);
});

test('a block is told of at once, and again every five minutes while it lasts; that it is over is told of once', async () => {
  const { after } = setUp();
  expect(await after(0, [BLOCK])).toEqual(['queue_blocked']);
  expect(await after(5 * MINUTE - 1, [BLOCK])).toEqual([]);
  expect(await after(1, [BLOCK])).toEqual(['queue_blocked']);
  expect(await after(1, [BLOCK, { ...BLOCK, kind: 'rate' }])).toEqual(['queue_blocked', 'queue_blocked']);
  expect(await after(1, [])).toEqual(['queues_open']);
  expect(await after(5 * MINUTE, [])).toEqual([]);
});
