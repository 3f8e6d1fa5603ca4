import { expect, test } from 'vitest';
import { createManualTimer } from '../test/manual-timer.ts';
import { ageCheck, createCheckRunner } from './health-check.ts';

const never = new Promise<never>(() => undefined);

test('each check answers for itself; what it rejects with is not told', async () => {
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
    { clock: timer.clock, timer },
  );
  expect(await run()).toEqual([
    { name: 'postgres', ok: true, detail: 'PostgreSQL 18', value: 18, tookMs: 0 },
    { name: 'redis', ok: false, detail: 'failed; the log of this process says why', tookMs: 0 },
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
  const run = createCheckRunner([hangs], { clock: timer.clock, timer });
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
  const run = createCheckRunner([check], { clock: timer.clock, timer });
  await Promise.all([run(), run(), run()]);
  expect(begun).toBe(1);
  await run();
  expect(begun).toBe(2);
});

test('an answer is given again for as long as it is fresh', async () => {
  const timer = createManualTimer();
  let begun = 0;
  const checks = [{ name: 'a', run: async () => ({ ok: true, detail: String(++begun) }) }];
  const run = createCheckRunner(checks, { clock: timer.clock, timer, freshMs: 1000 });
  const details = async () => (await run()).map(({ detail }) => detail);
  expect([await details(), await details()]).toEqual([['1'], ['1']]);
  checks.push({ name: 'b', run: async () => ({ ok: true, detail: 'joined' }) });
  expect(await details()).toEqual(['2', 'joined']);
  await timer.advance(999);
  expect(await details()).toEqual(['2', 'joined']);
  await timer.advance(1);
  expect(await details()).toEqual(['3', 'joined']);
});

test('the error of a check is told once, until it is another one or the check was well again', async () => {
  const timer = createManualTimer();
  const errors = ['refused', 'refused', 'no password', undefined, 'no password'];
  const logged: unknown[] = [];
  const check = {
    name: 'postgres',
    run: async () => {
      const message = errors.shift();
      if (message !== undefined) throw new Error(message);
      return { ok: true, detail: 'well' };
    },
  };
  const onError = (name: string, error: unknown) => logged.push([name, String(error)]);
  const run = createCheckRunner([check], { clock: timer.clock, timer, onError });
  for (let count = 0; count < 5; count++) await run();
  expect(logged).toEqual(['refused', 'no password', 'no password'].map((words) => ['postgres', `Error: ${words}`]));
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
