import { SECOND } from '@escapement/core';
import { expect, test } from 'vitest';
import { createOutages } from './outages.ts';

const at = (seconds: number) => new Date(seconds * SECOND);

function stage() {
  let nowMs = 0;
  const outages = createOutages(() => nowMs);
  function to(seconds: number): void {
    nowMs = seconds * SECOND;
  }
  return { ...outages, to };
}

test('what should have started while a server was away, or just after, says so', () => {
  const { began, ended, during, to } = stage();
  to(100);
  began('Redis');
  expect(during(at(100.5), at(101))).toBe('Redis was away');
  to(130);
  ended('Redis');
  expect(during(at(99), at(99.5))).toBeUndefined();
  expect(during(at(99.7), at(100.2))).toBe('Redis was away');
  expect(during(at(131), at(131.5))).toBe('Redis was away');
  expect(during(at(136), at(136.5))).toBeUndefined();
});

test('an outage begins when the server last answered, and once', () => {
  const { began, ended, during, to } = stage();
  to(100);
  began('Postgres', 3 * SECOND);
  began('Postgres');
  to(102);
  ended('Postgres');
  ended('Postgres');
  expect(during(at(97.5), at(98))).toBe('Postgres was away');
  expect(during(at(90), at(96))).toBeUndefined();
  expect(during(at(108), at(109))).toBeUndefined();
});
