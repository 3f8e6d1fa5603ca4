import { expect, test } from 'vitest';
import { DAY } from '../clock.ts';
import { civilDate, dayNumber, daysInMonth, weekday } from './civil.ts';

/** Days around the turns of years, centuries and of the calendar's 400 years, before 1970 too. */
const YEARS = [1599, 1600, 1601, 1899, 1900, 1901, 1968, 1969, 1970, 1999, 2000, 2001, 2024, 2100, 2399, 2400, 2401];

test.each(YEARS)('each day of %d is the one that Date says', (year) => {
  const start = Date.UTC(year, 0, 1) / DAY;
  for (let day = start; day < Date.UTC(year + 1, 0, 1) / DAY; day++) {
    const date = new Date(day * DAY);
    const civil = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
    expect(civilDate(day)).toEqual(civil);
    expect(dayNumber(civil.year, civil.month, civil.day)).toBe(day);
    expect(weekday(day)).toBe(date.getUTCDay());
  }
});

test.each(YEARS)('each month of %d is as long as Date says', (year) => {
  for (let month = 1; month <= 12; month++)
    expect(daysInMonth(year, month)).toBe(new Date(Date.UTC(year, month, 0)).getUTCDate());
});
