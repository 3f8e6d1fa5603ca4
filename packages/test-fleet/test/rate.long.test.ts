import { MINUTE, SECOND } from '@escapement/core';
import { cron, defineTask } from '@escapement/sdk';
import { expect, test } from 'vitest';
import { testFleet } from './fleet.ts';

const start = new Date('2026-03-27T12:00:00Z');

const mail = defineTask({
  name: 'mail',
  overlap: 'allow',
  schedule: cron('*/10 * * * * *', 'UTC'),
  rate: { limit: 2, perMs: 1 * MINUTE },
  run: () => undefined,
});

let refuse = true;
const flaky = defineTask({
  name: 'flaky',
  rate: { limit: 1, perMs: 10 * MINUTE },
  retry: { maxAttempts: 2, backoff: { kind: 'fixed', delayMs: 1 * SECOND } },
  run() {
    if (refuse) throw new Error('not today');
  },
});

const fleet = await testFleet({ tasks: [mail, flaky], now: start });

test('no more start within the time than the limit, in order, none is lost, none is early or late', async () => {
  await fleet.advance('3m');
  const runs = (await fleet.runs(mail)).filter(({ startedAt }) => startedAt !== null);
  const starts = runs.map(({ startedAt }) => startedAt?.getTime() ?? 0);
  // The first two at once, then two a minute.
  expect(starts.length).toBeGreaterThanOrEqual(6);
  expect(starts).toEqual(starts.toSorted((one, other) => one - other));
  for (let at = 2; at < starts.length; at++) {
    const apart = (starts[at] ?? 0) - (starts[at - 2] ?? 0);
    expect(apart).toBeGreaterThanOrEqual(1 * MINUTE);
    expect(apart).toBeLessThan(1 * MINUTE + 1 * SECOND);
  }
  const waiting = (await fleet.runs(mail)).filter(({ state }) => state === 'waiting');
  expect(waiting.length).toBeGreaterThan(8);
  expect(waiting[0]?.reason).toMatch(/^over the rate of 2 in 60 s under "mail": may start at 2026-03-27T12:0/);
});

test('a retry is a start', async () => {
  const failed = await fleet.trigger(flaky);
  expect(failed).toMatchObject({ state: 'retrying', attempt: 1 });
  refuse = false;
  await fleet.advance('5m');
  const [waiting] = await fleet.runs(flaky);
  expect(waiting).toMatchObject({ state: 'waiting', attempt: 1 });
  await fleet.advance('6m');
  const [done] = await fleet.runs(flaky);
  expect(done).toMatchObject({ state: 'succeeded', attempt: 2 });
  const apart = (done?.startedAt?.getTime() ?? 0) - (failed.startedAt?.getTime() ?? 0);
  expect(apart).toBeGreaterThanOrEqual(10 * MINUTE);
});
