import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixExpression, vixieExpression } from '../../../test/cron-arbitrary.ts';
import { ScheduleError } from '../error.ts';
import { firesBetween } from '../next-fire.ts';
import { parseSchedule } from '../parse.ts';
import type { Schedule } from '../schedule.ts';
import type { CronSpec } from '../spec.ts';
import { describeSchedule } from './describe.ts';

const MINUTE = 60_000;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

type Test = (date: Date) => boolean;

/** A reader of English, who does not know the expression: `1, 3 to 5 and 9` over any names of numbers. */
function numbersIn(text: string, numberOf: (word: string) => number, cycle = 100): Set<number> {
  const found = new Set<number>();
  for (const member of text.split(/, | and /)) {
    const [from = '', to = from] = member.split(' to ');
    const [first, last] = [numberOf(from), numberOf(to)];
    for (let n = first; ; n = (n + 1) % cycle) {
      found.add(n);
      if (n === last) break;
    }
  }
  return found;
}

const timeOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
const ofDay = (date: Date): number => date.getUTCHours() * 60 + date.getUTCMinutes();

function windowTest(text: string | undefined): Test {
  const [from, to] = (text ?? '00:00 to 23:59').split(' to ').map(timeOf);
  return (date) => ofDay(date) >= (from ?? 0) && ofDay(date) <= (to ?? 0);
}

function hourTest(text: string | undefined): Test {
  const hours = text === undefined ? undefined : numbersIn(text, Number);
  return (date) => hours === undefined || hours.has(date.getUTCHours());
}

function timeTest(text: string): Test {
  const times = /^at (\d\d:\d\d.*)$/.exec(text);
  if (times)
    return (
      (all) => (date) =>
        all.has(ofDay(date))
    )(new Set((times[1] ?? '').split(/, | and /).map(timeOf)));
  const minutes =
    /^every (?:(\d+) minutes|minute)(?: starting at minute (\d+))?(?: from (.*?))?(?: in the hours? (.*))?$/.exec(text);
  if (minutes) {
    const [, step = '1', start = minutes[3]?.slice(3, 5) ?? '0', window, hours] = minutes;
    const inWindow = windowTest(window);
    const inHours = hourTest(hours);
    return (date) =>
      (date.getUTCMinutes() - Number(start) + 60) % Number(step) === 0 && inWindow(date) && inHours(date);
  }
  const at = /^at minutes? (.*?) (?:of every hour|from (.*)|of the hours? (.*))$/.exec(text);
  if (at) {
    const [, list = '', window, hours] = at;
    const all = numbersIn(list, Number);
    const inWindow = windowTest(window);
    const inHours = hourTest(hours);
    return (date) => all.has(date.getUTCMinutes()) && inWindow(date) && inHours(date);
  }
  const hourly =
    /^every (?:(\d+) hours|hour)(?: at minute (\d+))?(?:, from (\d\d:\d\d) each day)?(?: from (.*))?$/.exec(text);
  if (!hourly) throw new Error(`cannot understand the time "${text}"`);
  const [, step = '1', minute = hourly[4]?.slice(3, 5) ?? '0', first = '00:00', window] = hourly;
  const inWindow = windowTest(window);
  return (date) =>
    date.getUTCMinutes() === Number(minute) &&
    (date.getUTCHours() - Number(first.slice(0, 2)) + 24) % Number(step) === 0 &&
    inWindow(date);
}

function dayTest(text: string): Test {
  const days = /^days? (.*) of the month$/.exec(text);
  const names = days ? undefined : numbersIn(text, (word) => WEEKDAYS.indexOf(word), 7);
  const numbers = numbersIn(days?.[1] ?? '0', Number);
  return (date) => (names ? names.has(date.getUTCDay()) : numbers.has(date.getUTCDate()));
}

function daysTest(text: string | undefined): Test {
  if (text === undefined) return () => true;
  const [first = '', also] = text.split(', and also on ');
  const [alone = '', only] = first.split(' if that is ');
  const tests = [alone, also, only].map((part) => (part === undefined ? undefined : dayTest(part)));
  const [base, either, both] = tests;
  return (date) => (base?.(date) || either?.(date) || false) && (both?.(date) ?? true);
}

const ORDINALS = ['', 'second', 'third'];

/** `on the second day before X`: X in words, and how far from it. */
function unmoved(words: string): { words: string; days: number } {
  const offset = / on the (?:(second|third) )?day (before|after) (each day that is (?=on |in )|each day$)?/.exec(words);
  if (!offset) return { words, days: 0 };
  const [phrase, nth = '', side, each] = offset;
  const days = (ORDINALS.indexOf(nth) + 1) * (side === 'before' ? -1 : 1);
  return { words: words.replace(phrase, each === undefined ? ' on ' : each === 'each day' ? '' : ' '), days };
}

function understand(said: string): Test {
  const { words, days: moved } = unmoved(said);
  const meant = understandUnmoved(words);
  return (date) => meant(new Date(date.getTime() - moved * 1440 * MINUTE));
}

function understandUnmoved(words: string): Test {
  const parts = new RegExp(`^(.*?)(?: every day)?(?: on (.*?))?,?(?: in ((?:${MONTHS.join('|')}).*))?$`).exec(words);
  const [, time = '', days, months] = parts ?? [];
  const inMonths = months === undefined ? undefined : numbersIn(months, (word) => MONTHS.indexOf(word));
  const tests = [timeTest(time), daysTest(days)];
  return (date) => tests.every((test) => test(date)) && (inMonths?.has(date.getUTCMonth()) ?? true);
}

function parsed(spec: CronSpec): Schedule | undefined {
  try {
    return parseSchedule(spec);
  } catch (error) {
    if (error instanceof ScheduleError && ['cron_never', 'cron_day_match'].includes(error.code)) return undefined;
    throw error;
  }
}

const plain = fc
  .oneof(unixExpression, vixieExpression)
  .filter((expression) => expression.split(' ').length === 5 && !/[LW#]/.test(expression.replace(/[A-Z]{3}/gi, '0')));

describe('the words of a schedule', () => {
  it('tell a reader who knows nothing else when it fires', () => {
    const choice = fc.constantFrom('or' as const, 'and' as const);
    const moves = fc.constantFrom(0, 0, -3, -1, 1, 2);
    const start = fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(plain, choice, moves, start, (expression, dayMatch, dayOffset, from) => {
        const schedule = parsed({ kind: 'cron', expression, dayMatch, dayOffset, timeZone: 'UTC' });
        if (!schedule) return;
        const words = describeSchedule(schedule);
        const says = understand(words);
        const first = Math.ceil(from.getTime() / MINUTE);
        const minutes = Array.from({ length: 7 * 1440 }, (_, n) => new Date((first + n) * MINUTE));
        const fires = firesBetween(schedule, new Date((first - 1) * MINUTE), minutes.at(-1) ?? from, 20_000);
        expect(minutes.filter(says), words).toEqual(fires);
      }),
      { numRuns: 400 },
    );
  });
});
