import { EscapementError, ManualClock } from '@escapement/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TimeboxOptions, timebox } from './timebox.ts';

/** A box whose turns last as said, on a clock of its own; the last duration goes on. */
function box(durations: readonly number[], options: Partial<TimeboxOptions> = {}) {
  const clock = new ManualClock();
  return timebox(({ index }) => clock.advance(durations[Math.min(index, durations.length - 1)] ?? 0), {
    durationMs: 1000,
    clock,
    ...options,
  });
}

describe('loose', () => {
  test('begins turns until the box has run out, so that the last one ends after it', async () => {
    expect(await box([300], { algorithm: 'loose' })).toEqual({
      turns: 4,
      elapsedMs: 1200,
      ended: 'time',
      overrunMs: 200,
    });
  });

  test('begins none once the box has run out to the millisecond', async () => {
    expect(await box([250], { algorithm: 'loose' })).toMatchObject({ turns: 4, overrunMs: 0 });
  });
});

describe('tight', () => {
  test('does not begin a turn that would overrun', async () => {
    expect(await box([300])).toEqual({ turns: 3, elapsedMs: 900, ended: 'time', overrunMs: 0 });
  });

  test('begins one that would end with the box', async () => {
    expect(await box([250])).toMatchObject({ turns: 4, elapsedMs: 1000, overrunMs: 0 });
  });

  test('begins the first turn, of which nothing is known', async () => {
    expect(await box([1500])).toEqual({ turns: 1, elapsedMs: 1500, ended: 'time', overrunMs: 500 });
  });

  test.each([
    ['the longest so far by default', {}, 2],
    ['max: the longest so far', { estimate: 'max' as const }, 2],
    ['mean: the mean of all', { estimate: 'mean' as const }, 5],
    ['p95: what 95 of 100 did not exceed', { estimate: 'p95' as const }, 2],
  ])('takes a turn to last %s', async (_, options, turns) => {
    // After two turns 440 ms are left: less than the longest, more than the mean.
    expect(await box([460, 100, 100, 100], options)).toMatchObject({ turns });
  });

  test('p95 forgets a long turn once it is one of many', async () => {
    const durations = [400, ...Array.from({ length: 30 }, () => 10)];
    expect(await box(durations, { estimate: 'p95' })).toMatchObject({ turns: 61, overrunMs: 0 });
    expect(await box(durations, { estimate: 'max' })).toMatchObject({ turns: 22 });
  });

  test('p95 looks at the latest 1,000 turns', async () => {
    const durations = [...Array.from({ length: 100 }, () => 50), ...Array.from({ length: 1000 }, () => 1)];
    // A twentieth of all have been longer than 1 ms; of the latest 1,000 none.
    expect(await box(durations, { estimate: 'p95', durationMs: 6000 })).toMatchObject({ turns: 1100, overrunMs: 0 });
  });
});

describe('a turn', () => {
  test('knows its number and what is left of the box', async () => {
    const clock = new ManualClock();
    const seen: unknown[] = [];
    await timebox(
      ({ index, leftMs }) => {
        seen.push([index, leftMs]);
        clock.advance(400);
      },
      { durationMs: 1000, algorithm: 'loose', clock },
    );
    expect(seen).toEqual([
      [0, 1000],
      [1, 600],
      [2, 200],
    ]);
  });

  test.each([
    ['sync', () => false],
    ['async', async () => false],
  ])('closes the box by returning false (%s)', async (_, answer) => {
    const clock = new ManualClock();
    const operator = ({ index }: { index: number }) => {
      clock.advance(10);
      return index === 2 ? answer() : undefined;
    };
    expect(await timebox(operator, { durationMs: 1000, clock })).toEqual({
      turns: 3,
      elapsedMs: 30,
      ended: 'operator',
      overrunMs: 0,
    });
  });

  test.each([undefined, null, 0, '', true])('goes on after returning %o', async (answer) => {
    const clock = new ManualClock();
    const operator = () => {
      clock.advance(500);
      return answer;
    };
    expect(await timebox(operator, { durationMs: 1000, clock })).toMatchObject({ turns: 2, ended: 'time' });
  });

  test('that fails ends the box with its error', async () => {
    const failing = async () => {
      throw new Error('sink is full');
    };
    await expect(timebox(failing, { durationMs: 1000 })).rejects.toThrow('sink is full');
  });
});

describe('the signal', () => {
  test('aborted before: no turn is begun', async () => {
    const signal = AbortSignal.abort();
    expect(await box([100], { signal })).toEqual({ turns: 0, elapsedMs: 0, ended: 'aborted', overrunMs: 0 });
  });

  test('aborted meanwhile: the turn under way is the last', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const operator = async ({ index, signal }: { index: number; signal: AbortSignal }) => {
      clock.advance(100);
      if (index === 1) controller.abort();
      expect(signal.aborted).toBe(index === 1);
    };
    const result = await timebox(operator, { durationMs: 1000, clock, signal: controller.signal });
    expect(result).toMatchObject({ turns: 2, ended: 'aborted' });
  });

  test.each([
    ['synchronous', () => undefined],
    ['asynchronous in name only', async () => undefined],
  ])('gets through to turns that are %s, from a timer, even where the clock stands still', async (_, operator) => {
    const controller = new AbortController();
    const clock = new ManualClock();
    setTimeout(() => controller.abort(), 0);
    const result = await timebox(operator, { durationMs: 1000, clock, signal: controller.signal });
    expect(result.ended).toBe('aborted');
  });
});

describe('options', () => {
  test.each([
    ['a negative duration', { durationMs: -1 }, 'durationMs is -1'],
    ['no duration', { durationMs: undefined }, 'durationMs is undefined'],
    ['NaN', { durationMs: Number.NaN }, 'durationMs is NaN'],
    ['no end', { durationMs: Number.POSITIVE_INFINITY }, 'durationMs is Infinity'],
    ['text', { durationMs: '5 min' }, 'durationMs is "5 min"'],
    ['an unknown algorithm', { durationMs: 1, algorithm: 'strict' }, 'algorithm is "strict"'],
    ['an unknown estimate', { durationMs: 1, estimate: 'p99' }, 'estimate is "p99"'],
  ])('%s is refused', async (_, options, message) => {
    const refused = Reflect.apply(timebox, undefined, [() => undefined, options]);
    await expect(refused).rejects.toThrow(EscapementError);
    await expect(refused).rejects.toMatchObject({ code: 'bad_timebox', message: expect.stringContaining(message) });
  });

  test('no function is refused', async () => {
    const refused = Reflect.apply(timebox, undefined, [undefined, { durationMs: 1 }]);
    await expect(refused).rejects.toThrow('the operator is undefined');
  });

  test('a box of 0 ms is empty', async () => {
    expect(await box([100], { durationMs: 0 })).toEqual({ turns: 0, elapsedMs: 0, ended: 'time', overrunMs: 0 });
  });
});

describe('for all durations of turns', () => {
  const turns = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 40 });
  const boxMs = fc.integer({ min: 1, max: 5000 });

  test('tight with max never overruns while no turn is longer than all before it, the first apart', () =>
    fc.assert(
      fc.asyncProperty(turns, boxMs, async (durations, durationMs) => {
        const longestFirst = [Math.max(...durations), ...durations];
        const { turns: begun, overrunMs } = await box(longestFirst, { durationMs, estimate: 'max' });
        expect(overrunMs === 0 || begun === 1).toBe(true);
      }),
    ));

  test('tight overruns by no more than the last turn is longer than its estimate', () =>
    fc.assert(
      fc.asyncProperty(turns, boxMs, fc.constantFrom('mean', 'max', 'p95'), async (durations, durationMs, estimate) => {
        const { turns: begun, overrunMs } = await box(durations, { durationMs, estimate });
        const lasted = (index: number) => durations[Math.min(index, durations.length - 1)] ?? 0;
        const earlier = Array.from({ length: begun - 1 }, (_, index) => lasted(index));
        const least = begun === 1 ? 0 : Math.min(...earlier);
        expect(overrunMs).toBeLessThanOrEqual(Math.max(0, lasted(begun - 1) - least));
      }),
    ));

  test('loose begins a turn while time is left, and only then', () =>
    fc.assert(
      fc.asyncProperty(turns, boxMs, async (durations, durationMs) => {
        const { turns: begun, elapsedMs } = await box(durations, { durationMs, algorithm: 'loose' });
        const last = durations[Math.min(begun - 1, durations.length - 1)] ?? 0;
        expect(elapsedMs).toBeGreaterThanOrEqual(durationMs);
        expect(elapsedMs - last).toBeLessThan(durationMs);
      }),
    ));
});

test('a million turns take bounded memory, also for p95', async () => {
  const clock = new ManualClock();
  const before = process.memoryUsage().arrayBuffers;
  const operator = () => clock.advance(1);
  const result = await timebox(operator, { durationMs: 1_000_000, estimate: 'p95', clock });
  expect(result).toEqual({ turns: 1_000_000, elapsedMs: 1_000_000, ended: 'time', overrunMs: 0 });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
});
