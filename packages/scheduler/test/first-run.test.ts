import type { ScheduleSpec } from '@escapement/core/schedule';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';

const fleet = await testFleet();

async function firstRun(name: string, schedule: ScheduleSpec): Promise<Date | null> {
  await fleet.save({ name, schedule });
  const { rows } = await fleet.db.pool.query(
    'SELECT next_run_at FROM task JOIN task_plan ON task_id = id WHERE name = $1',
    [name],
  );
  return rows[0].next_run_at;
}

it('keeps the first run of each kind within startAt and endAt', async () => {
  const startAt = '2999-01-01T00:00:00.000Z';
  const endAt = '2020-01-01T00:00:00.000Z';
  expect(await firstRun('delay-later', { kind: 'fixed-delay', delayMs: 1000, startAt })).toEqual(new Date(startAt));
  expect(await firstRun('delay-over', { kind: 'fixed-delay', delayMs: 1000, endAt })).toBeNull();
  expect(await firstRun('once-over', { kind: 'once', at: '2998-01-01T00:00:00Z', endAt })).toBeNull();
  expect(await firstRun('every-later', { kind: 'every', everyMs: 1000, startAt })).toEqual(new Date(startAt));
});

it('takes a date that has passed when the task is new', async () => {
  const at = '2020-01-01T00:00:00.000Z';
  expect(await firstRun('once-passed', { kind: 'once', at })).toEqual(new Date(at));
});
