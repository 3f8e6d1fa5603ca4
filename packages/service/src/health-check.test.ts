import { expect, test } from 'vitest';
import { createManualTimer } from '../test/manual-timer.ts';
import { ageCheck, createCheckRunner } from './health-check.ts';

const never = new Promise<never>(() => undefined);

test('each check answers for itself; a rejection is its detail', async () => {
  const timer = createManualTimer();
  const run = createCheckRunner(
    [
      { name: 'postgres', run: async () => ({ ok: true, detail: 'PostgreSQL 18', value: 18 }) },
      {
        name: 'redis',
        run: () => {
          throw new Error('connection refused');
        },
      },
    ],
    timer.clock,
    timer,
  );
  expect(await run()).toEqual([
    { name: 'postgres', ok: true, detail: 'PostgreSQL 18', value: 18, tookMs: 0 },
    { name: 'redis', ok: false, detail: 'connection refused', tookMs: 0 },
  ]);
  expect(timer.pending()).toEqual([]);
});

test('a check that hangs is not well after its time, and is not begun again while it hangs', async () => {
  const timer = createManualTimer();
  let begun = 0;
  const hangs = {
    name: 'postgres',
    timeoutMs: 500,
    run: () => {
      begun += 1;
      return never;
    },
  };
  const run = createCheckRunner([hangs], timer.clock, timer);
  const first = run();
  await timer.advance(500);
  expect(await first).toEqual([{ name: 'postgres', ok: false, detail: 'no answer for 500 ms', tookMs: 500 }]);
  const second = run();
  await timer.advance(500);
  expect(await second).toEqual([{ name: 'postgres', ok: false, detail: 'no answer for 1000 ms', tookMs: 1000 }]);
  expect(begun).toBe(1);
});

test('probes at the same time share one check', async () => {
  const timer = createManualTimer();
  let begun = 0;
  const check = { name: 'a', run: async () => ({ ok: true, detail: String(++begun) }) };
  const run = createCheckRunner([check], timer.clock, timer);
  await Promise.all([run(), run(), run()]);
  expect(begun).toBe(1);
  await run();
  expect(begun).toBe(2);
});

test('something that has not happened yet, or not for too long, is not well', async () => {
  const timer = createManualTimer();
  let lastMs: number | undefined;
  const check = ageCheck({
    name: 'planner',
    what: 'planner pass',
    lastMs: () => lastMs,
    maxAgeMs: 3000,
    clock: timer.clock,
  });
  expect(await check.run()).toEqual({ ok: false, detail: 'no planner pass yet' });
  lastMs = 0;
  await timer.advance(3000);
  expect(await check.run()).toEqual({ ok: true, detail: 'last planner pass 3000 ms ago', value: 3000 });
  await timer.advance(1);
  expect(await check.run()).toEqual({
    ok: false,
    detail: 'last planner pass 3001 ms ago; at most 3000',
    value: 3001,
  });
});
