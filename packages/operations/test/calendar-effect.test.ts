import type { CalendarSpec } from '@escapement/core/schedule';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';
import { expect, it } from 'vitest';
import { calendarEffect, saveCalendar } from '../src/index.ts';

const fleet = await testFleet();
const weekend: CalendarSpec = { timeZone: 'Europe/Berlin', entries: [{ name: 'weekend', weekdays: ['SAT', 'SUN'] }] };
const cron = { kind: 'cron', expression: '0 9 * * *', timeZone: 'Europe/Berlin' } as const;
const wednesday = new Date('2026-04-01T12:00:00Z');
const effect = (name: string, definition: CalendarSpec) =>
  calendarEffect(fleet.db, { name, definition }, { year: 2026, now: wednesday });

it('tells what a calendar takes out of the next occurrences of each of its tasks, and when they run', async () => {
  await saveCalendar(fleet.db, 'office', weekend, by('test'));
  await fleet.save({ name: 'daily', schedule: cron, calendars: { exclude: ['office'] } });
  await fleet.save({ name: 'moved', schedule: cron, calendars: { exclude: ['office'], shift: 'next' } });
  await fleet.save({ name: 'other', schedule: cron });
  const { days, tasks, taskCount } = await effect('office', weekend);
  expect([days.length, taskCount]).toEqual([104, 2]);
  const [daily, moved] = tasks;
  expect(daily).toMatchObject({ name: 'daily', timeZone: 'Europe/Berlin', shift: null });
  expect(daily?.leftOut.slice(0, 2)).toEqual([
    { at: new Date('2026-04-04T07:00:00Z'), reason: 'excluded by calendar office: weekend' },
    { at: new Date('2026-04-05T07:00:00Z'), reason: 'excluded by calendar office: weekend' },
  ]);
  expect(daily?.next.map((at) => at.toISOString().slice(0, 10))).toEqual(['2026-04-02', '2026-04-03', '2026-04-06']);
  expect(moved).toMatchObject({ name: 'moved', shift: 'next', leftOut: daily?.leftOut });
});

it('tells it of a calendar that is not saved, too, and of one that nobody uses', async () => {
  const noTuesday: CalendarSpec = { timeZone: 'Europe/Berlin', entries: [{ weekdays: ['TUE'] }] };
  const [daily] = (await effect('office', noTuesday)).tasks;
  expect(daily?.leftOut[0]).toEqual({
    at: new Date('2026-04-07T07:00:00Z'),
    reason: 'excluded by calendar office: TUE',
  });
  expect(await effect('unused', weekend)).toMatchObject({ tasks: [], taskCount: 0 });
  await expect(effect('office', { ...weekend, timeZone: 'Europe/Berln' })).rejects.toMatchObject({
    message: expect.stringContaining('Europe/Berln'),
  });
});
