import { MINUTE } from '@escapement/core';
import { describe, expect, test } from 'vitest';
import { defineTask } from '../define-task.ts';
import { cron, every } from '../schedule.ts';
import { fires } from './fires.ts';

const run = () => undefined;

describe('fires', () => {
  test('are strictly after `from`, 5 unless asked for otherwise', () => {
    const task = defineTask({ name: 'x', schedule: cron('0 9 * * MON-FRI', 'Europe/Berlin'), run });
    const found = fires(task, { from: '2026-03-27T08:00:00Z' });
    expect(found.map(({ scheduledFor }) => scheduledFor.toISOString())).toEqual([
      '2026-03-30T07:00:00.000Z',
      '2026-03-31T07:00:00.000Z',
      '2026-04-01T07:00:00.000Z',
      '2026-04-02T07:00:00.000Z',
      '2026-04-03T07:00:00.000Z',
    ]);
    expect(fires(task, { from: new Date(0), count: 2 })).toHaveLength(2);
  });

  test('may start later by their jitter, the same each time', () => {
    const task = defineTask({ name: 'x', schedule: every(10 * MINUTE, { jitterMs: 1 * MINUTE }), run });
    const [first, second] = fires(task, { from: '2026-01-01T00:00:00Z', count: 2 });
    const delays = [first, second].map((fire) => (fire ? fire.dueAt.getTime() - fire.scheduledFor.getTime() : -1));
    for (const delay of delays) expect(delay).toSatisfy((ms: number) => ms >= 0 && ms < 1 * MINUTE);
    expect(delays[0]).not.toBe(delays[1]);
    expect(fires(task, { from: '2026-01-01T00:00:00Z', count: 2 })).toEqual([first, second]);
  });

  test('of H are those of the name', () => {
    const named = (name: string) =>
      fires(defineTask({ name, schedule: cron('H H * * *', 'UTC'), run }), { from: new Date(0), count: 1 });
    expect(named('a')).toEqual(named('a'));
    expect(named('a')).not.toEqual(named('b'));
  });

  test('end with the schedule', () => {
    const once = defineTask({ name: 'x', schedule: { kind: 'once', at: '2030-01-01T00:00:00Z' }, run });
    expect(fires(once, { from: '2026-01-01T00:00:00Z' })).toHaveLength(1);
    expect(fires(defineTask({ name: 'x', run }), { from: '2026-01-01T00:00:00Z' })).toEqual([]);
  });

  test('of a fixed delay are as if runs took no time', () => {
    const task = defineTask({ name: 'x', schedule: { kind: 'fixed-delay', delayMs: 5000 }, run });
    const found = fires(task, { from: new Date(0), count: 2 });
    expect(found.map(({ scheduledFor }) => scheduledFor.getTime())).toEqual([5000, 10_000]);
  });
});

describe('calendars', () => {
  const closed = { timeZone: 'Europe/Berlin', entries: [{ name: 'New Year', dates: ['01-01'] }] };
  const daily = { name: 'x', schedule: cron('0 9 * * *', 'Europe/Berlin'), run };
  const from = '2025-12-31T12:00:00Z';

  test('say which fire is skipped, and why', () => {
    const task = defineTask({ ...daily, calendars: { exclude: ['holidays'] } });
    const found = fires(task, { from, count: 2, calendars: { holidays: closed } });
    expect(found.map(({ excluded }) => excluded)).toEqual([expect.stringContaining('New Year'), null]);
  });

  test('move a fire to the next day, where the task says so', () => {
    const task = defineTask({ ...daily, calendars: { exclude: ['holidays'], shift: 'next' } });
    const [first] = fires(task, { from, count: 1, calendars: { holidays: closed } });
    expect(first?.scheduledFor.toISOString()).toBe('2026-01-02T08:00:00.000Z');
  });

  test('that are not given are asked for', () => {
    const task = defineTask({ ...daily, calendars: { exclude: ['holidays'] } });
    expect(() => fires(task, { from })).toThrow(expect.objectContaining({ code: 'unknown_calendar' }));
  });
});

test('a `from` that is no instant is refused', () => {
  expect(() => fires(defineTask({ name: 'x', run }), { from: 'tomorrow' })).toThrow('from is tomorrow');
});
