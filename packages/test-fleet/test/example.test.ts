import { cron, defineTask, HOUR } from '@escapement/sdk';
import { startTestFleet } from '@escapement/test-fleet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

let bankIsOpen = true;
const rent = defineTask({
  name: 'rent',
  schedule: cron('0 9 1 * *', 'Europe/Berlin'),
  retry: { maxAttempts: 5, backoff: { kind: 'fixed', delayMs: 6 * HOUR } },
  state: z.object({ paid: z.int() }).default({ paid: 0 }),
  run(_, ctx) {
    if (!bankIsOpen) throw new Error('the bank is closed');
    ctx.state.paid += 1;
    return { on: ctx.run.scheduledFor };
  },
});

let fleet: Awaited<ReturnType<typeof startTestFleet>>;
beforeAll(async () => {
  fleet = await startTestFleet({ tasks: [rent], now: '2026-02-15T00:00:00Z' });
}, 60_000);
afterAll(() => fleet.stop());

test('is paid on the first of each month, at nine by the clock on the wall', async () => {
  await fleet.advance('60d');
  const runs = await fleet.runs(rent);
  expect(runs.map(({ output }) => output)).toEqual([
    { on: '2026-03-01T08:00:00.000Z' },
    { on: '2026-04-01T07:00:00.000Z' },
  ]);
  expect(await fleet.state(rent)).toEqual({ paid: 2 });
});

test('is tried again every six hours while the bank is closed', async () => {
  bankIsOpen = false;
  await fleet.advance(new Date('2026-05-01T20:00:00Z'));
  expect((await fleet.runs(rent)).at(-1)).toMatchObject({ state: 'retrying', attempt: 3 });
  bankIsOpen = true;
  await fleet.advance('6h');
  expect((await fleet.runs(rent)).at(-1)).toMatchObject({ state: 'succeeded', attempt: 4 });
});

test('is caught up after an outage, late but once', async () => {
  await fleet.advance(new Date('2026-05-31T18:00:00Z'));
  await fleet.outage('18h');
  const { origin, startedAt, scheduledFor } = (await fleet.runs(rent)).at(-1) ?? {};
  expect(origin).toBe('catch_up');
  expect(scheduledFor).toEqual(new Date('2026-06-01T07:00:00Z'));
  expect(startedAt?.getTime()).toBeGreaterThan(Date.parse('2026-06-01T11:59:00Z'));
});
