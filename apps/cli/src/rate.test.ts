import { expect, it } from 'vitest';
import { readRate } from './rate.ts';

it.each([
  ['100/1s', 100, 1000],
  ['100/s', 100, 1000],
  ['5 / 250ms', 5, 250],
  ['500/10m', 500, 600_000],
  ['10/1.5min', 10, 90_000],
  ['1/2h', 1, 7_200_000],
  ['1/30d', 1, 2_592_000_000],
])('reads %s', (text, limit, perMs) => {
  expect(readRate(text)).toEqual({ limit, perMs });
});

it.each(['100', '100/', '/1s', '-1/1s', '1.5/s', '100/1w', 'many/1s'])('refuses %s with what to give', (text) => {
  expect(() => readRate(text)).toThrow(expect.objectContaining({ code: 'bad_rate' }));
});
