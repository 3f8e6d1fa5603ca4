import {
  type CalendarSpec,
  occurrencesOf,
  parseCalendar,
  parseSchedule,
  type ScheduleSpec,
} from '@escapement/core/schedule';
import { openDatabase } from '@escapement/store';
import { by, testDatabase } from '@escapement/testkit';
import { afterAll, expect, it, test } from 'vitest';
import { examineCalendars, isLeftOut } from '../src/doctor/left-out.ts';
import { examineNextDates } from '../src/doctor/next-dates.ts';
import { pauseTask, saveCalendar, saveTask } from '../src/index.ts';

const ALWAYS: CalendarSpec['entries'] = [{ weekdays: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] }];
const cron = (expression: string, more: object = {}): ScheduleSpec => ({
  ...{ kind: 'cron', expression, timeZone: 'UTC' },
  ...more,
});
const now = new Date('2026-11-28T12:00:00Z');

it.each<[string, ScheduleSpec, CalendarSpec['entries'], boolean]>([
  ['each minute, all days', cron('* * * * *'), ALWAYS, true],
  ['each minute, all but one minute of a day', cron('* * * * *'), [{ hours: ['00:01-24'] }], false],
  ['each minute, all but an hour', cron('* * * * *'), [{ hours: ['0-3'] }, { hours: ['4-24'] }], false],
  ['Sundays, at weekends', cron('0 3 * * 0'), [{ weekdays: ['SAT', 'SUN'] }], true],
  ['each day, at weekends', cron('0 3 * * *'), [{ weekdays: ['SAT', 'SUN'] }], false],
  ['Christmas, which is a holiday each year', cron('0 3 25 12 *'), [{ dates: ['12-25'] }], true],
  ['Christmas, which is a holiday this year', cron('0 3 25 12 *'), [{ dates: ['2026-12-25'] }], false],
  ['what has ended is another matter', cron('0 3 * * *', { endAt: '2020-01-01T00:00:00Z' }), ALWAYS, false],
])('%s', (_, schedule, entries, expected) => {
  const calendar = parseCalendar('free', { timeZone: 'UTC', entries });
  const occurrences = occurrencesOf(parseSchedule(schedule), [calendar]);
  expect(isLeftOut(occurrences, now)).toBe(expected);
});

const { url } = await testDatabase();
const db = openDatabase({ url, applicationName: 'left-out' });
afterAll(() => db.close());
const ANN = by('ann');

test('doctor names the tasks that never run for their calendars, but for those that are paused', async () => {
  expect(await examineCalendars(db, now)).toEqual([]);
  await saveCalendar(db, 'free', { timeZone: 'UTC', entries: [{ weekdays: ['SAT', 'SUN'] }] }, ANN);
  const save = (name: string, expression: string) => {
    const calendars = { exclude: ['free'] };
    const handler = { type: 'shell', command: 'true' } as const;
    return saveTask(db, { name, schedule: cron(expression), calendars, handler }, { source: 'cli', by: ANN });
  };
  await save('on-sundays', '0 3 * * 0');
  await save('on-saturdays', '0 3 * * 6');
  await save('each-day', '0 3 * * *');
  await pauseTask(db, 'on-saturdays', null, ANN);
  expect(await examineCalendars(db, now)).toEqual([
    {
      ...{ subject: 'Calendars', level: 'problem' },
      detail: '1 task never runs: calendars leave out all that is due within a year (on-sundays)',
      fix: 'change the calendars or the schedules, or pause what is not to run',
    },
  ]);
});

test('doctor names the tasks whose runs ask for a next run in the past', async () => {
  expect(await examineNextDates(db)).toEqual([]);
  await saveTask(db, { name: 'hurries', handler: { type: 'shell', command: 'true' } }, { source: 'cli', by: ANN });
  await db.pool.query(
    `INSERT INTO task_pause (task_id, from_at, until_at, note, created_by, asked_late)
     SELECT id, now(), now(), 'x', 'run:x', true FROM task WHERE name = 'hurries'`,
  );
  expect(await examineNextDates(db)).toMatchObject([
    {
      level: 'warning',
      detail: '1 task asks for a next run at a date that has passed, and so runs once a second (hurries)',
    },
  ]);
});
