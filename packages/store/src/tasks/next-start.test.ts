import { expect, test } from 'vitest';
import { type Hindrances, nextStart } from './next-start.ts';

const at = (time: string) => new Date(`2026-03-02T${time}Z`);
const hourly = { name: 't', schedule: { kind: 'every', everyMs: 3_600_000 } } as const;
const paused = (from: string, until: string | null) => ({
  fromAt: at(from),
  untilAt: until ? at(until) : null,
  note: null,
});
const start = (
  pauses: ReturnType<typeof paused>[],
  task: Parameters<typeof nextStart>[0] = hourly,
  calendars: Hindrances['calendars'] = [],
) => nextStart(task, at('10:00'), { pauses, calendars });

test('a task that is paused without end has no next start', () => {
  expect(start([paused('09:00', null)])).toBeNull();
  expect(start([paused('10:30', null)])).toEqual(at('10:00'));
});

test('one that is paused for a time starts with the first fire after it', () => {
  expect(start([paused('09:00', '09:30')])).toEqual(at('10:00'));
  expect(start([paused('09:00', '12:00')])).toEqual(at('12:00'));
  expect(start([paused('09:00', '11:30'), paused('11:45', '12:15')])).toEqual(at('13:00'));
});

test('what calendars leave out is no start', () => {
  const days = [{ name: 'x', definition: { timeZone: 'UTC', entries: [{ dates: ['2026-03-02'] }] } }];
  const task = { ...hourly, calendars: { exclude: ['x'] } };
  expect(start([], task, days)).toEqual(new Date('2026-03-03T00:00Z'));
  expect(start([paused('09:00', '11:30')], task, days)).toEqual(new Date('2026-03-03T00:00Z'));
  expect(start([], { ...task, calendars: { exclude: ['x'], shift: 'next' } }, days)).toEqual(
    new Date('2026-03-03T00:00Z'),
  );
});

test('where only the end of a run would tell, it is not known', () => {
  expect(start([paused('09:00', '11:30')], { name: 't', schedule: { kind: 'fixed-delay', delayMs: 1000 } })).toBeNull();
});

test('a pause that ends right after an occurrence has the next one start', () => {
  expect(start([paused('09:00', '12:00:00.001')])).toEqual(at('13:00'));
});

test('what calendars do not leave out starts, after a pause as well', () => {
  const days = [{ name: 'x', definition: { timeZone: 'UTC', entries: [{ dates: ['2026-03-01'] }] } }];
  const task = { ...hourly, calendars: { exclude: ['x'] } };
  expect(start([], task, days)).toEqual(at('10:00'));
  expect(start([paused('09:00', '11:30')], task, days)).toEqual(at('12:00'));
  expect(start([paused('09:00', null)], task, days)).toBeNull();
});

test('what is never due has no next start', () => {
  expect(nextStart(hourly, null, { pauses: [paused('09:00', '11:30')], calendars: [] })).toBeNull();
});

test('999 pauses that follow each other are passed over, and no more', () => {
  const hour = (n: number) => new Date(at('10:00').getTime() + n * hourly.schedule.everyMs);
  const pauses = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ fromAt: hour(n), untilAt: hour(n + 1), note: null }));
  expect(start(pauses(999))).toEqual(hour(999));
  expect(start(pauses(1000))).toBeNull();
});
