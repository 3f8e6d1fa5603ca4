import { HOUR, systemClock } from '@escapement/core';
import { HORIZON_MS, testFleet } from '@escapement/testkit/fleet';
import type { Pool } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createScheduler } from '../src/index.ts';

const fleet = await testFleet({ repeatableUpToMs: HORIZON_MS });

/** Runs of each task, by when all that is asked for a run or a pass was asked. */
const RUNS = 3;

const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 50 });

function spyOn(pool: Pool) {
  const spy = vi.spyOn(pool, 'query');
  onTestFinished(() => spy.mockRestore());
  return spy;
}

/** What was asked of a pool: name and text of each statement. */
const statementsOf = ({ mock }: ReturnType<typeof spyOn>) =>
  mock.calls.map(([query]): { name?: string; text?: string } => Object(query));

/** A scheduler with all loops; that of its alerts tells nobody. */
async function startScheduler(): Promise<void> {
  const process = { id: 'at-work', role: 'scheduler', host: 'test', pid: 1, appVersion: '0', pools: [] } as const;
  const scheduler = createScheduler({
    db: fleet.as.scheduler,
    redis: fleet.redis,
    process,
    repeatable: { fromMs: 0, toMs: HORIZON_MS },
    leaseMs: 10_000,
    horizonMs: HORIZON_MS,
    maxClockOffsetMs: 60_000,
    clock: systemClock,
    alerting: {
      defaults: { email: [], webhook: [] },
      send: async () => ({ status: 'sent', detail: 'nobody' }),
      render: () => '',
    },
    emit: () => undefined,
    onError: () => undefined,
  });
  onTestFinished(() => scheduler.stop());
  await scheduler.start();
}

it('each statement of a fleet at work has a name, under which a connection plans it once', async () => {
  const everySecond = { kind: 'every', everyMs: 1000, phaseMs: 0 } as const;
  await fleet.save({ name: 'repeated', schedule: everySecond });
  await fleet.save({ name: 'delayed', schedule: { ...everySecond, jitterMs: 10 } });
  await fleet.save({ name: 'later', schedule: { kind: 'every', everyMs: 24 * HOUR } });
  const pools = Object.values(fleet.as).flatMap(({ hot, pool, pulse }) => [hot, pool, pulse]);
  const spies = pools.map(spyOn);
  await fleet.startWorker(async () => ({ status: 'succeeded' }));
  await startScheduler();
  await eventually(async () => {
    for (const task of ['repeated', 'delayed'])
      expect((await fleet.runs(task)).filter(({ state }) => state === 'succeeded').length).toBeGreaterThanOrEqual(RUNS);
    const texts = spies.flatMap(statementsOf).map(({ text }) => text);
    for (const asked of ['AS i(task_id, scheduled_for, queue, place)', 'FROM alerting'])
      expect(texts).toContainEqual(expect.stringContaining(asked));
  });
  expect(spies.flatMap(statementsOf).filter(({ name }) => !name)).toEqual([]);
});

it('Postgres plans no statement of the hot pools for its values', async () => {
  for (const { hot } of Object.values(fleet.as)) {
    const { rows } = await hot.query(
      'SELECT name, generic_plans > 0 AS kept, custom_plans FROM pg_prepared_statements WHERE generic_plans + custom_plans > 0',
    );
    expect(rows.filter(({ custom_plans: planned }) => planned > 0n)).toEqual([]);
  }
});
