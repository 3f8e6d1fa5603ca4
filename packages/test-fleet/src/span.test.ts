import { DAY, HOUR, MINUTE } from '@escapement/core';
import { expect, test } from 'vitest';
import { spanMs } from './span.ts';

test.each([
  [0, 0],
  [1500, 1500],
  ['1d', DAY],
  ['1d 12h', 1.5 * DAY],
  ['1d12h', 1.5 * DAY],
  ['90 m', 90 * MINUTE],
  ['1.5h', 1.5 * HOUR],
  [' 250ms ', 250],
  ['2w', 14 * DAY],
])('%o is %d ms', (span, ms) => {
  expect(spanMs(span)).toBe(ms);
});

test.each(['', 'd', '1', '1 month', '1d!', '-1d', '1d -2h', -1, Number.NaN, Number.POSITIVE_INFINITY])(
  '%o is no span',
  (span) => {
    expect(() => spanMs(span)).toThrow(expect.objectContaining({ code: 'bad_span' }));
  },
);
