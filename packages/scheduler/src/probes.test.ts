import { ManualClock } from '@escapement/core';
import type { ProbeKind } from '@escapement/store';
import { expect, test } from 'vitest';
import { createProbes } from './probes.ts';

function setUp() {
  const clock = new ManualClock();
  const there = new Set<ProbeKind>();
  let looks = 0;
  const probes = createProbes({
    clock,
    async look() {
      looks += 1;
      return new Set(there);
    },
  });
  return { probes, clock, there, looks: () => looks };
}

test('one look answers the loops of a moment, whatever they ask for', async () => {
  const { probes, there, looks } = setUp();
  there.add('outbox');
  const answers = await Promise.all([
    probes.see('outbox'),
    probes.see('live'),
    probes.see('live', 'outbox'),
    probes.see(),
  ]);
  expect(answers).toEqual([true, false, true, false]);
  expect(looks()).toBe(1);
});

test('a look gets old, sooner than the fastest loop comes again', async () => {
  const { probes, clock, there, looks } = setUp();
  there.add('live');
  await probes.see('untold');
  there.add('untold');
  clock.advance(449);
  expect(await probes.see('untold')).toBe(false);
  clock.advance(1);
  expect(await probes.see('untold')).toBe(true);
  expect(looks()).toBe(2);
});

test('a look that has seen nothing gets old later, and is made again at once after a hint', async () => {
  const { probes, clock, there, looks } = setUp();
  await probes.see('untold');
  clock.advance(949);
  expect(await probes.see('untold')).toBe(false);
  expect(looks()).toBe(1);
  clock.advance(1);
  await probes.see('untold');
  expect(looks()).toBe(2);
  there.add('untold');
  probes.forget();
  expect(await probes.see('untold')).toBe(true);
  clock.advance(450);
  await probes.see('untold');
  expect(looks()).toBe(4);
});

test('what has changed is seen at once by those who are told so', async () => {
  const { probes, there } = setUp();
  await probes.see('requests');
  there.add('requests');
  probes.forget();
  expect(await probes.see('requests')).toBe(true);
});

test('where the look fails there may be anything', async () => {
  const probes = createProbes({ clock: new ManualClock(), look: () => Promise.reject(new Error('away')) });
  expect(await probes.see('backfills')).toBe(true);
});
