import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DAY, HOUR } from '../../clock.ts';
import { nextFire } from '../next-fire.ts';
import { parseSchedule } from '../parse.ts';
import type { ScheduleSpec } from '../spec.ts';
import { parseCalendar } from './calendar.ts';
import { occurrencesOf } from './occurrences.ts';
import type { CalendarSpec } from './spec.ts';

const START = Date.UTC(2026, 0, 1);
const WINDOW_MS = 40 * DAY;
/** More than an occurrence can be moved. */
const REACH_MS = 35 * DAY;

type Shift = 'next' | 'previous';

const schedule: fc.Arbitrary<ScheduleSpec> = fc.oneof(
  fc
    .record({ hours: fc.integer({ min: 5, max: 60 }), phaseMs: fc.integer({ min: 0, max: HOUR }) })
    .map(({ hours, phaseMs }) => ({ kind: 'every', everyMs: hours * HOUR, phaseMs }) as const),
  fc
    .constantFrom('0 9 * * *', '0 18 L * *', '0 8,20 1,15 * *', '15 */6 * * 5-6')
    .map((expression) => ({ kind: 'cron', expression, timeZone: 'UTC' }) as const),
);

/** Weekends, single days, and a stretch of up to four weeks. */
const daysOff = fc
  .record({
    weekends: fc.boolean(),
    days: fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { maxLength: 20 }),
    holiday: fc.record({ first: fc.integer({ min: 0, max: 80 }), days: fc.integer({ min: 0, max: 28 }) }),
  })
  .map(({ weekends, days, holiday }) => {
    const off = new Set(days);
    for (let day = 0; day < holiday.days; day++) off.add(holiday.first + day);
    return { weekends, dates: [...off].map((day) => new Date(START + day * DAY).toISOString().slice(0, 10)) };
  });

function calendarOf({ weekends, dates }: { weekends: boolean; dates: string[] }) {
  const entries: CalendarSpec['entries'] = [{ dates: ['2020-01-01', ...dates] }];
  if (weekends) entries.push({ weekdays: ['SAT', 'SUN'] });
  return parseCalendar('off', { timeZone: 'UTC', entries });
}

/** Each fire, moved by whole days until it is on a day that is not off, as long as that is within a month. */
function movedOneByOne(spec: ScheduleSpec, off: (at: Date) => boolean, shift: Shift): number[] {
  const parsed = parseSchedule(spec);
  const moved = new Set<number>();
  const end = START + WINDOW_MS + REACH_MS;
  for (
    let fire = nextFire(parsed, new Date(START - REACH_MS));
    fire && fire.getTime() < end;
    fire = nextFire(parsed, fire)
  ) {
    const steps = Array.from(
      { length: 32 },
      (_, days) => new Date(Number(fire) + (shift === 'next' ? days : -days) * DAY),
    );
    moved.add(Number(steps.find((at) => !off(at)) ?? fire));
  }
  return [...moved].sort((one, other) => one - other);
}

function found(
  spec: ScheduleSpec,
  off: ReturnType<typeof calendarOf>,
  shift: Shift,
  workingDayOffset?: number,
): number[] {
  const { next } = occurrencesOf(parseSchedule(spec), [off], { shift, workingDayOffset });
  const instants: number[] = [];
  for (let at = next(new Date(START)); at && at.getTime() < START + WINDOW_MS; at = next(at))
    instants.push(at.getTime());
  return instants;
}

const inWindow = (at: number) => at > START && at < START + WINDOW_MS;

it('every 17 h, weekends out, moved back: an occurrence of Sunday comes before one of Friday evening', () => {
  const spec = { kind: 'every', everyMs: 17 * HOUR } as const;
  const off = calendarOf({ weekends: true, dates: [] });
  const expected = movedOneByOne(spec, (at) => off.reasonAt(at) !== null, 'previous').filter(inWindow);
  expect(found(spec, off, 'previous')).toEqual(expected);
});

it('shifted occurrences are all found, in order: as moved one by one (property)', () => {
  fc.assert(
    fc.property(schedule, daysOff, fc.constantFrom<Shift>('next', 'previous'), (spec, days, shift) => {
      const off = calendarOf(days);
      const expected = movedOneByOne(spec, (at) => off.reasonAt(at) !== null, shift).filter(inWindow);
      expect(found(spec, off, shift)).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});

/** Whether a day since the epoch is a working one. What these calendars name are whole days in UTC: each is looked up once. */
function workingDays(off: (at: Date) => boolean): (day: number) => boolean {
  const known = new Map<number, boolean>();
  return (day) => {
    const at = new Date(day * DAY);
    const works = known.get(day) ?? (!off(at) && at.getUTCDay() !== 0 && at.getUTCDay() !== 6);
    known.set(day, works);
    return works;
  };
}

/** Of each fire all days around it are marked as working or not, and the wanted one is picked from the list. */
function onWorkingDays(
  spec: ScheduleSpec,
  off: (at: Date) => boolean,
  { shift, offset }: { shift: Shift; offset: number },
): number[] {
  const parsed = parseSchedule(spec);
  const moved = new Set<number>();
  const isWorking = workingDays(off);
  const reach = 100 * DAY;
  const end = START + WINDOW_MS + reach;
  for (
    let fire = nextFire(parsed, new Date(START - reach));
    fire && fire.getTime() < end;
    fire = nextFire(parsed, fire)
  ) {
    const at = (day: number) => new Date(Number(fire) + day * DAY);
    const works = (day: number) => isWorking(Math.floor(Number(fire) / DAY) + day);
    const days = Array.from({ length: 201 }, (_, index) => index - 100).filter(works);
    const first = shift === 'next' ? days.find((day) => day >= 0) : days.findLast((day) => day <= 0);
    if (first === undefined || Math.abs(first) > 31) {
      moved.add(Number(fire));
      continue;
    }
    const reachable = days.filter((day) => Math.abs(day - first) <= 62);
    const place = reachable.indexOf(first) + offset;
    moved.add(Number(at(reachable[Math.max(0, Math.min(reachable.length - 1, place))] ?? first)));
  }
  return [...moved].sort((one, other) => one - other);
}

it('on working days, and so many on from there: all found, in order, as picked from a list of days (property)', () => {
  fc.assert(
    fc.property(
      schedule,
      daysOff,
      fc.constantFrom<Shift>('next', 'previous'),
      fc.integer({ min: -23, max: 23 }),
      (spec, days, shift, offset) => {
        const off = calendarOf(days);
        const expected = onWorkingDays(spec, (at) => off.reasonAt(at) !== null, { shift, offset }).filter(inWindow);
        expect(found(spec, off, shift, offset)).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});

it('two working days before the last one of the month, with German holidays', () => {
  const holidays = parseCalendar('de', {
    timeZone: 'Europe/Berlin',
    entries: [
      { dates: ['01-01', '05-01', '10-03', '12-25', '12-26'] },
      { dates: ['2026-04-03', '2026-04-06', '2026-05-14', '2026-05-25'] },
    ],
  });
  const spec = { kind: 'cron', expression: '0 18 L * *', timeZone: 'Europe/Berlin' } as const;
  const { next } = occurrencesOf(parseSchedule(spec), [holidays], { shift: 'previous', workingDayOffset: -2 });
  const days: string[] = [];
  for (let at = next(new Date('2026-01-01T00:00:00Z')); at && days.length < 12; at = next(at))
    days.push(at.toISOString().slice(5, 13));
  expect(days).toEqual([
    '01-28T17',
    '02-25T17',
    '03-27T17',
    '04-28T16',
    '05-27T16',
    '06-26T16',
    '07-29T16',
    '08-27T16',
    '09-28T16',
    '10-28T17',
    '11-26T17',
    '12-29T17',
  ]);
});
