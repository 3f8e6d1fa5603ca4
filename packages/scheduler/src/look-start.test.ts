import { ManualClock, SECOND } from '@escapement/core';
import { FROM_THE_START, type OpenFrom } from '@escapement/store';
import { expect, test } from 'vitest';
import { createLookStart } from './look-start.ts';

const OLDEST: OpenFrom = { runs: '2026-01-01 00:00:00+00', tasks: '2026-01-02 00:00:00+00' };

function setUp() {
  const clock = new ManualClock();
  const openFrom = { ...FROM_THE_START };
  const found = { ms: 0, looks: 0 };
  const start = createLookStart({
    clock,
    openFrom,
    async look() {
      found.looks += 1;
      if (found.ms === Number.POSITIVE_INFINITY) throw new Error('away');
      return { ...OLDEST, ms: found.ms };
    },
  });
  return { clock, openFrom, found, start };
}

test('looks begin at the start while that takes no time, and it is measured now and then', async () => {
  const { clock, openFrom, found, start } = setUp();
  found.ms = 24;
  for (let second = 0; second < 10; second++) {
    await start.keep(true);
    clock.advance(1 * SECOND);
  }
  expect(found.looks).toBe(2);
  expect(openFrom).toEqual(FROM_THE_START);
});

test('a fleet without open runs is asked nothing', async () => {
  const { found, start } = setUp();
  await start.keep(false);
  expect(found.looks).toBe(0);
});

test('looks that take long begin at the oldest that is open, and a look from the start takes a twentieth of the time', async () => {
  const { clock, openFrom, found, start } = setUp();
  found.ms = 200;
  await start.keep(true);
  expect(openFrom).toEqual(OLDEST);
  clock.advance(3999);
  await start.keep(true);
  expect(found.looks).toBe(1);
  clock.advance(1);
  await start.keep(true);
  expect(found.looks).toBe(2);
});

test('what became open again behind the others is seen within half a minute, also where nothing else is open', async () => {
  const { clock, found, start } = setUp();
  found.ms = 20 * SECOND;
  await start.keep(true);
  clock.advance(30 * SECOND);
  await start.keep(false);
  expect(found.looks).toBe(2);
});

test('they begin at the start again when that takes no time any more', async () => {
  const { clock, openFrom, found, start } = setUp();
  found.ms = 30;
  await start.keep(true);
  found.ms = 1;
  clock.advance(1 * SECOND);
  await start.keep(false);
  expect(openFrom).toEqual(FROM_THE_START);
});

test('one look at a time; one that fails leaves all as it is, and is tried again', async () => {
  const { clock, openFrom, found, start } = setUp();
  found.ms = 200;
  await Promise.all([start.keep(true), start.keep(true)]);
  expect(found.looks).toBe(1);
  clock.advance(4 * SECOND);
  found.ms = Number.POSITIVE_INFINITY;
  await expect(start.keep(true)).rejects.toThrow('away');
  expect(openFrom).toEqual(OLDEST);
  found.ms = 200;
  clock.advance(5 * SECOND);
  await start.keep(true);
  expect(found.looks).toBe(3);
});
