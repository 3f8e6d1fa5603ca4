import { type EngineEvent, SECOND } from '@escapement/core';
import type { RunJob, RunQueue } from '@escapement/queue';
import { expect, test } from 'vitest';
import { putBack } from './put-back.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const FULL = new Error('no room');

const runDue = (afterMs: number) => {
  const dueAt = new Date(NOW.getTime() + afterMs);
  return { id: `due-${afterMs}`, scheduledFor: dueAt, queue: 'default+shell', dueAt, dispatch: 3 };
};

/** Puts runs back into a queue that takes those due before `takesUntilMs`. */
async function puttingBack(afterMs: readonly number[], { takesUntilMs = 60 * SECOND, now = NOW as Date | null } = {}) {
  const calls: (readonly RunJob[])[] = [];
  const events: EngineEvent[] = [];
  const add: RunQueue['add'] = async (jobs) => {
    calls.push(jobs);
    return jobs.map(({ delayMs }) => (delayMs < takesUntilMs ? { ok: true } : { ok: false, error: FULL }));
  };
  const added = await putBack(afterMs.map(runDue), {
    queue: { add } as RunQueue,
    databaseNow: () => now,
    emit: (event) => void events.push(event),
  });
  return { added, calls, events };
}

test('nothing is asked of the queue where there is nothing to put back', async () => {
  expect(await puttingBack([])).toEqual({ added: 0, calls: [], events: [] });
});

test('a job gets the delay that is left, by the clock of Postgres', async () => {
  const { added, calls, events } = await puttingBack([9 * SECOND]);
  const dueMs = NOW.getTime() + 9 * SECOND;
  expect(calls).toEqual([
    [{ queue: 'default+shell', runId: `due-${9 * SECOND}`, dispatch: 3, delayMs: 9 * SECOND, dueMs }],
  ]);
  expect([added, events]).toEqual([1, []]);
});

test('all go in one call, and are counted', async () => {
  const { added, calls, events } = await puttingBack([-SECOND, 0, SECOND]);
  expect([added, calls.map((jobs) => jobs.length), events]).toEqual([3, [3], []]);
});

test('while the clock of Postgres is not known nothing is put back', async () => {
  expect(await puttingBack([SECOND], { now: null })).toEqual({ added: 0, calls: [], events: [] });
});

test('how many the queue did not take is told of once, with the reason', async () => {
  const { added, events } = await puttingBack([0, 5 * SECOND, 6 * SECOND], { takesUntilMs: SECOND });
  expect(added).toBe(1);
  expect(events).toEqual([{ event: 'dispatch_failed', runs: 2, error: FULL }]);
});
