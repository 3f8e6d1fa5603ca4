import { ManualClock } from '@escapement/core';
import type { GlanceKind } from '@escapement/store';
import { expect, test } from 'vitest';
import { createGlances } from './glances.ts';

function setUp() {
  const clock = new ManualClock();
  const there = new Set<GlanceKind>();
  let looks = 0;
  const glances = createGlances({
    clock,
    async look() {
      looks += 1;
      return new Set(there);
    },
  });
  return { glances, clock, there, looks: () => looks };
}

test('one look answers the loops of a moment, whatever they ask for', async () => {
  const { glances, there, looks } = setUp();
  there.add('outbox');
  const answers = await Promise.all([
    glances.see('outbox'),
    glances.see('live'),
    glances.see('live', 'outbox'),
    glances.see(),
  ]);
  expect(answers).toEqual([true, false, true, false]);
  expect(looks()).toBe(1);
});

test('a look gets old, sooner than the fastest loop comes again', async () => {
  const { glances, clock, there, looks } = setUp();
  there.add('live');
  await glances.see('untold');
  there.add('untold');
  clock.advance(449);
  expect(await glances.see('untold')).toBe(false);
  clock.advance(1);
  expect(await glances.see('untold')).toBe(true);
  expect(looks()).toBe(2);
});

test('a look that has seen nothing gets old later, and is made again at once after a hint', async () => {
  const { glances, clock, there, looks } = setUp();
  await glances.see('untold');
  clock.advance(949);
  expect(await glances.see('untold')).toBe(false);
  expect(looks()).toBe(1);
  clock.advance(1);
  await glances.see('untold');
  expect(looks()).toBe(2);
  there.add('untold');
  glances.forget();
  expect(await glances.see('untold')).toBe(true);
  clock.advance(450);
  await glances.see('untold');
  expect(looks()).toBe(4);
});

test('what has changed is seen at once by those who are told so', async () => {
  const { glances, there } = setUp();
  await glances.see('requests');
  there.add('requests');
  glances.forget();
  expect(await glances.see('requests')).toBe(true);
});

test('where the look fails there may be anything', async () => {
  const glances = createGlances({ clock: new ManualClock(), look: () => Promise.reject(new Error('away')) });
  expect(await glances.see('backfills')).toBe(true);
});
