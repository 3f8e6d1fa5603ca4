import { expect, test } from 'vitest';
import { differenceOf, sheetOf } from './days.ts';

const day = (date: string, ...hours: string[]) => ({ date, isWhole: false, hours, entries: [] });

test('the sheet of a month begins on its weekday and knows leap years', () => {
  const { before, days } = sheetOf(2028, 1);
  expect([before, days.length, days[0]]).toEqual([1, 29, { date: '2028-02-01', day: 1 }]);
});

test('days are compared with what was excluded before', () => {
  const before = [day('2026-01-01', '00:00-24:00'), day('2026-01-02', '00:00-24:00')];
  const after = [day('2026-01-02', '08:00-12:00'), day('2026-01-03', '00:00-24:00')];
  expect(differenceOf(before, after)).toEqual({ more: 1, fewer: 1, other: 1 });
});
