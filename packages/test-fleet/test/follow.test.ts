import { DAY, HOUR } from '@escapement/core';
import { cron, defineTask } from '@escapement/sdk';
import { expect, test } from 'vitest';
import { testFleet } from './fleet.ts';

const report = defineTask({ name: 'report', run: (payload) => payload });
const alert = defineTask({ name: 'alert', run: () => 'rang' });
const nightly = defineTask({
  name: 'nightly',
  schedule: cron('0 2 * * *', 'UTC'),
  then: [{ task: report }],
  onFailure: alert,
  run(_, ctx) {
    if (ctx.run.scheduledFor.getUTCDate() === 2) throw new Error('no');
    ctx.chain('extra', { n: 1 });
    return { rows: 3 };
  },
});
const extra = defineTask({ name: 'extra', run: () => undefined });
const sprint = defineTask({
  name: 'sprint',
  schedule: cron('0 9 1 1 *', 'UTC'),
  run(_, ctx) {
    ctx.scheduleNext(new Date(ctx.run.scheduledFor.getTime() + 2 * DAY + 3 * HOUR));
  },
});

const fleet = await testFleet({ tasks: [nightly, report, alert, extra, sprint], now: '2026-01-01T00:00:00Z' });

test('what follows a run is done with it', async () => {
  await fleet.advance('3d');
  expect((await fleet.runs(report)).map(({ state, output }) => [state, output])).toEqual([
    ['succeeded', { rows: 3 }],
    ['succeeded', { rows: 3 }],
  ]);
  expect((await fleet.runs(alert)).map(({ state }) => state)).toEqual(['succeeded']);
  expect(await fleet.runs(extra)).toHaveLength(2);
});

test('a run that was decided by another starts at its date', async () => {
  await fleet.advance('3d');
  expect((await fleet.runs(sprint)).map(({ scheduledFor, state }) => [scheduledFor.toISOString(), state])).toEqual([
    ['2026-01-01T09:00:00.000Z', 'succeeded'],
    ['2026-01-03T12:00:00.000Z', 'succeeded'],
    ['2026-01-05T15:00:00.000Z', 'succeeded'],
  ]);
});
