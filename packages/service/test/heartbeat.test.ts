import { SECOND, systemClock } from '@escapement/core';
import { openDatabase } from '@escapement/store';
import { afterFile, lockRows, ManualClock, testDatabase } from '@escapement/testkit';
import { expect, it } from 'vitest';
import { createHeartbeat } from '../src/index.ts';

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'heartbeat test' });
afterFile(() => db.close());

/** A process whose clock began at that instant. */
function setUp(start = systemClock.now()) {
  const clock = new ManualClock(start);
  const worker = { id: 'w', role: 'worker', host: 'test', pid: 1, appVersion: '0', pools: ['default'] } as const;
  const heartbeat = createHeartbeat({
    db,
    process: worker,
    clock,
    activeRuns: () => [],
    maxClockOffsetMs: 500,
    failingAfterMs: 10 * SECOND,
    emit: () => undefined,
    onError: () => undefined,
  });
  return { clock, heartbeat };
}

it('a heartbeat proves that the process was heard when it was sent, not when its answer came', async () => {
  const { clock, heartbeat } = setUp();
  await heartbeat.runOnce();
  expect(heartbeat.fresh()).toBe(true);
  const held = await lockRows(url, `SELECT FROM process WHERE id = 'w' FOR UPDATE`);
  const sent = heartbeat.runOnce();
  await held.awaited();
  clock.advance(9 * SECOND);
  await held.release();
  await sent;
  expect(heartbeat.fresh()).toBe(true);
  clock.advance(2 * SECOND);
  expect(heartbeat.fresh()).toBe(false);
  expect(heartbeat.steadyMs()).toBe(0);
});

it('heartbeats are steady since the first one after a gap, as it was sent', async () => {
  const { clock, heartbeat } = setUp();
  await heartbeat.runOnce();
  clock.advance(9 * SECOND);
  await heartbeat.runOnce();
  expect(heartbeat.steadyMs()).toBe(9 * SECOND);
  clock.advance(11 * SECOND);
  const held = await lockRows(url, `SELECT FROM process WHERE id = 'w' FOR UPDATE`);
  const sent = heartbeat.runOnce();
  await held.awaited();
  clock.advance(3 * SECOND);
  await held.release();
  await sent;
  expect(heartbeat.steadyMs()).toBe(3 * SECOND);
});

it('gets through with a clock that is off by years, which it says', async () => {
  const { heartbeat } = setUp(new Date('1970-01-01T00:00:00Z'));
  await heartbeat.runOnce();
  await heartbeat.runOnce();
  expect(heartbeat.fresh()).toBe(true);
  expect(heartbeat.clockOk()).toBe(false);
});
