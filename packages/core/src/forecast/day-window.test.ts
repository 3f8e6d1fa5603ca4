import { expect, test } from 'vitest';
import { readDays, readDayWindow, timeOfDay } from './day-window.ts';

const read = readDayWindow('--window');

test('a window is two times of day, and may have midnight in it', () => {
  expect(read('1:00-05:30')).toEqual({ from: 60, to: 330 });
  expect(read('22:00-02:00')).toEqual({ from: 1320, to: 120 });
  expect(timeOfDay(65)).toBe('01:05');
});

test.each(['1-5', '24:00-01:00', '01:60-02:00', '01:00', ''])('"%s" is no window', (text) => {
  expect(() => read(text)).toThrow(`--window is "${text}"`);
});

test('days are `day`, or a field of a cron expression', () => {
  expect([readDays('every')('day'), readDays('every')('mon-fri')]).toEqual(['*', 'mon-fri']);
  expect(() => readDays('every')('mon fri')).toThrow('every is "mon fri"');
  expect(() => readDays('every')('someday')).toThrow('someday');
});
