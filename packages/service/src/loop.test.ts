import { expect, test } from 'vitest';
import { createManualTimer } from '../test/manual-timer.ts';
import { createLoop, type LoopOptions } from './loop.ts';

/** A loop whose passes return what `answer` says, with every wait exact. */
function setUp(answer: (pass: number) => number | Promise<number>, options: Partial<LoopOptions> = {}) {
  const timer = createManualTimer();
  const passes: number[] = [];
  const errors: { failures: number; retryInMs: number }[] = [];
  const loop = createLoop({
    name: 'test',
    runOnce: async () => {
      passes.push(timer.clock.monotonicMs());
      return answer(passes.length);
    },
    onError: (_error, { failures, retryInMs }) => errors.push({ failures, retryInMs }),
    jitter: 0,
    clock: timer.clock,
    timer,
    ...options,
  });
  return { loop, timer, passes, errors };
}

/** A promise that the test resolves. */
function latch() {
  let open: (waitMs: number) => void = () => undefined;
  const opened = new Promise<number>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test('the first pass begins at once, and each pass says when the next one is due', async () => {
  const { loop, timer, passes } = setUp((pass) => pass * 100);
  loop.start();
  await timer.advance(600);
  expect(passes).toEqual([0, 100, 300, 600]);
});

test('0 goes on at once, by way of the event loop', async () => {
  const { loop, timer, passes } = setUp((pass) => (pass < 4 ? 0 : 1000));
  loop.start();
  await timer.advance(10);
  expect(passes).toEqual([0, 0, 0, 0]);
});

test('errors back off up to the bound and never end the loop; a good pass resets the back-off', async () => {
  const { loop, timer, passes, errors } = setUp(
    (pass) => {
      if (pass === 5) return 1000;
      throw new Error('down');
    },
    { backoff: { minMs: 250, maxMs: 900 } },
  );
  loop.start();
  await timer.advance(3299);
  expect(passes).toEqual([0, 250, 750, 1650, 2550]);
  expect(errors.map((error) => error.retryInMs)).toEqual([250, 500, 900, 900]);
  await timer.advance(300);
  expect(errors.at(-1)).toEqual({ failures: 1, retryInMs: 250 });
});

test('a pass that throws before it returns a promise, or returns no number, backs off like any other', async () => {
  const { loop, timer, errors } = setUp((pass) => (pass === 1 ? Number.NaN : -1));
  loop.start();
  await timer.advance(250);
  expect(errors.map((error) => error.failures)).toEqual([1, 2]);
});

test('a listener that throws does not end the loop', async () => {
  const fail = () => {
    throw new Error('listener');
  };
  const { loop, timer, passes } = setUp(
    (pass) => {
      if (pass === 1) throw new Error('down');
      return 100;
    },
    { onError: fail, onPass: fail },
  );
  loop.start();
  await timer.advance(350);
  expect(passes).toEqual([0, 250, 350]);
});

test('wake cuts the wait short', async () => {
  const { loop, timer, passes } = setUp(() => 1000);
  loop.start();
  await timer.advance(300);
  loop.wake();
  await timer.advance(0);
  expect(passes).toEqual([0, 300]);
});

test('wake during a pass is not lost', async () => {
  const first = latch();
  const { loop, timer, passes } = setUp((pass) => (pass === 1 ? first.opened : 1000));
  loop.start();
  await timer.advance(50);
  loop.wake();
  first.open(1000);
  await timer.advance(0);
  expect(passes).toEqual([0, 50]);
});

test('many wakes gather: the next pass begins minWaitMs after the last one ended', async () => {
  const { loop, timer, passes } = setUp(() => 1000, { minWaitMs: 100 });
  loop.start();
  await timer.advance(40);
  for (let i = 0; i < 1000; i++) loop.wake();
  await timer.advance(59);
  expect(passes).toEqual([0]);
  await timer.advance(1);
  expect(passes).toEqual([0, 100]);
});

test('wake does not shorten the back-off after an error', async () => {
  const { loop, timer, passes } = setUp(() => {
    throw new Error('down');
  });
  loop.start();
  await timer.advance(10);
  loop.wake();
  await timer.advance(239);
  expect(passes).toEqual([0]);
  await timer.advance(1);
  expect(passes).toEqual([0, 250]);
});

test('stop waits for the pass under way, and no other follows', async () => {
  const only = latch();
  const { loop, timer, passes } = setUp(() => only.opened);
  loop.start();
  await timer.advance(0);
  let stopped = false;
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  await timer.advance(0);
  expect(stopped).toBe(false);
  only.open(0);
  await stopping;
  await timer.advance(10_000);
  expect(passes).toEqual([0]);
  expect(timer.pending()).toEqual([]);
});

test('stop ends a wait; start begins anew', async () => {
  const { loop, timer, passes } = setUp(() => 1000);
  loop.start();
  await timer.advance(10);
  await loop.stop();
  await timer.advance(5000);
  loop.start();
  loop.start();
  await timer.advance(999);
  expect(passes).toEqual([0, 5010]);
});

test('started again while it stops, one loop goes on and not two', async () => {
  const first = latch();
  const { loop, timer, passes } = setUp((pass) => (pass === 1 ? first.opened : 1000));
  loop.start();
  await timer.advance(0);
  const stopping = loop.stop();
  loop.start();
  first.open(1000);
  await stopping;
  await timer.advance(2000);
  expect(passes).toEqual([0, 1000, 2000]);
});

test('passes by hand and by the loop never overlap', async () => {
  const first = latch();
  const { loop, timer, passes } = setUp((pass) => (pass === 1 ? first.opened : 1000));
  loop.start();
  await timer.advance(0);
  const byHand = loop.runOnce();
  await timer.advance(5);
  expect(passes).toHaveLength(1);
  first.open(1000);
  expect(await byHand).toBe(1000);
  expect(passes).toHaveLength(2);
});

test('a failed pass by hand rejects to its caller', async () => {
  const { loop, errors } = setUp(() => {
    throw new Error('down');
  });
  await expect(loop.runOnce()).rejects.toThrow('down');
  expect(errors).toEqual([]);
});

test('jitter only shortens waits', async () => {
  const { loop, timer } = setUp(() => 1000, { jitter: 0.2, random: () => 0.5 });
  loop.start();
  await timer.advance(0);
  expect(timer.pending()).toEqual([900]);
});
