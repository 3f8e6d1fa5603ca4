import { randomUUID } from 'node:crypto';
import { type DriftCounts, type EngineEvent, ManualClock, SECOND } from '@escapement/core';
import { readDrift } from '@escapement/store';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { createReconcilerLoop } from '../src/reconciler/reconciler-loop.ts';

const fleet = await testFleet();

/** A lane whose only step finds what it is told. */
function setUp(name: string = randomUUID()) {
  const clock = new ManualClock();
  const events: EngineEvent[] = [];
  const found: { counts: DriftCounts; more: boolean } = { counts: {}, more: false };
  let passes = 0;
  let mayWork = true;
  const step = {
    name: 'step',
    async heal() {
      passes += 1;
      return { ...found };
    },
  };
  const idle = { is: false };
  const loop = createReconcilerLoop(name, [step], {
    db: fleet.db,
    probes: { see: async () => !idle.is },
    clock,
    mayWork: () => mayWork,
    emit: (event) => void events.push(event),
    onError: (error) => {
      throw error;
    },
  });
  return {
    name,
    lane: loop,
    clock,
    events,
    found,
    idle,
    passes: () => passes,
    forbid: () => {
      mayWork = false;
    },
  };
}

it('makes the next pass at once where one left some, else a second later', async () => {
  const { lane: loop, found } = setUp();
  expect(await loop.runOnce()).toBe(SECOND);
  found.more = true;
  expect(await loop.runOnce()).toBe(0);
});

it('tells of what it found: at once where that was all, else once a second with the sum', async () => {
  const { lane: loop, found, clock, events } = setUp();
  const told = () => events.splice(0).map((event) => (event.event === 'drift' ? event.counts : event));
  await loop.runOnce();
  expect(told()).toEqual([]);
  found.counts = { missing_job: 2 };
  found.more = true;
  await loop.runOnce();
  expect(told()).toEqual([{ missing_job: 2 }]);
  await loop.runOnce();
  clock.advance(999);
  await loop.runOnce();
  expect(told()).toEqual([]);
  clock.advance(1);
  found.counts = { missing_job: 1, extra_job: 5 };
  await loop.runOnce();
  expect(told()).toEqual([{ missing_job: 5, extra_job: 5 }]);
  found.more = false;
  await loop.runOnce();
  expect(told()).toEqual([{ missing_job: 1, extra_job: 5 }]);
  expect((await readDrift(fleet.db)).map(({ kind, total }) => [kind, Number(total)])).toEqual([
    ['extra_job', 10],
    ['missing_job', 8],
  ]);
});

it('does nothing while its clock cannot be trusted', async () => {
  const { lane: loop, passes, forbid } = setUp();
  forbid();
  expect(await loop.runOnce()).toBe(SECOND);
  expect(passes()).toBe(0);
});

it('leaves the work to the one that has the lock, until that one stops', async () => {
  const first = setUp();
  const second = setUp(first.name);
  await first.lane.runOnce();
  expect(await second.lane.runOnce()).toBe(SECOND);
  expect([first.passes(), second.passes()]).toEqual([1, 0]);
  const longAgo = () => fleet.db.pool.query(`UPDATE cluster_lock SET taken_at = now() - interval '1 min'`);
  await longAgo();
  await second.lane.runOnce();
  expect(second.passes()).toBe(0);
  await first.lane.stop();
  await longAgo();
  await second.lane.runOnce();
  expect(second.passes()).toBe(1);
});

it('makes a pass each five seconds where no run is open, and at once when one is', async () => {
  const { lane: loop, clock, idle, passes } = setUp();
  const pass = async (afterMs: number) => {
    clock.advance(afterMs);
    await fleet.db.pool.query("UPDATE cluster_lock SET taken_at = taken_at - interval '10 s'");
    expect(await loop.runOnce()).toBe(SECOND);
    return passes();
  };
  idle.is = true;
  expect(await pass(0)).toBe(1);
  expect(await pass(SECOND)).toBe(1);
  idle.is = false;
  expect(await pass(SECOND)).toBe(2);
  idle.is = true;
  expect(await pass(4 * SECOND)).toBe(2);
  expect(await pass(SECOND)).toBe(3);
});
