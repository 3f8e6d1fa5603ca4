import { HOUR, systemClock } from '@escapement/core';
import { testFleet } from '@escapement/testkit/fleet';
import type { Pool } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createScheduler } from '../src/index.ts';

const fleet = await testFleet();
const HEARTBEATS = 2;
/** The loop with the shortest wait makes two passes a second, and there are two seconds between heartbeats. */
const MOST_BETWEEN_HEARTBEATS = 8;

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 20_000, interval: 20 });

/** Without its values. */
const textOf = (query: unknown) => JSON.stringify(query, ['name', 'text']);

function spyOn(pool: Pool) {
  const spy = vi.spyOn(pool, 'query');
  onTestFinished(() => spy.mockRestore());
  return spy;
}

it('no loop of a scheduler that has nothing to do goes round without a wait', async () => {
  await fleet.save({ name: 'later', schedule: { kind: 'every', everyMs: 24 * HOUR } });
  const process = { id: 'idle', role: 'scheduler', host: 'test', pid: 1, appVersion: '0', pools: [] } as const;
  const common = { leaseMs: 10_000, horizonMs: 10_000, maxClockOffsetMs: 60_000, clock: systemClock };
  const told = { emit: () => undefined, onError: () => undefined };
  const scheduler = createScheduler({ db: fleet.db, redis: fleet.redis, process, ...common, ...told });
  onTestFinished(() => scheduler.stop());
  const heartbeats = spyOn(fleet.db.pulse);
  await scheduler.start();
  // What a start brings with it, such as partitions for weeks to come, is over by the second heartbeat.
  await eventually(() => expect(heartbeats.mock.calls.length).toBeGreaterThanOrEqual(2));
  const sent = [spyOn(fleet.db.hot), spyOn(fleet.db.pool)];
  const before = heartbeats.mock.calls.length;
  await eventually(() => expect(heartbeats.mock.calls.length).toBeGreaterThanOrEqual(before + HEARTBEATS));
  const counts = new Map<string, number>();
  for (const [query] of sent.flatMap(({ mock }) => mock.calls))
    counts.set(textOf(query), (counts.get(textOf(query)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > MOST_BETWEEN_HEARTBEATS * HEARTBEATS)).toEqual([]);
});
