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

function found(spec: ScheduleSpec, off: ReturnType<typeof calendarOf>, shift: Shift): number[] {
  const { next } = occurrencesOf(parseSchedule(spec), [off], shift);
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

it('shifted occurrences are all found, in order: as moved one by one (property)', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(schedule, daysOff, fc.constantFrom<Shift>('next', 'previous'), (spec, days, shift) => {
      const off = calendarOf(days);
      const expected = movedOneByOne(spec, (at) => off.reasonAt(at) !== null, shift).filter(inWindow);
      expect(found(spec, off, shift)).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});
