import { type Frequency, type RruleParts, readRrule } from '../rrule/read.ts';
import type { RruleSpec } from '../spec.ts';
import { every, list, MONTHS, ordinal, runs, two, WEEKDAYS } from './wording.ts';

const UNITS: { readonly [freq in Frequency]: string } = {
  YEARLY: 'year',
  MONTHLY: 'month',
  WEEKLY: 'week',
  DAILY: 'day',
  HOURLY: 'hour',
  MINUTELY: 'minute',
  SECONDLY: 'second',
};

/** A recurrence rule in words, part by part: parts that choose days are joined by "if", since all of them have to hold. */
export function describeRrule({ rule, dtStart, exDates = [], rDates = [] }: RruleSpec): string {
  const parts = readRrule(rule);
  const when = [...dayWords(parts), ...timeWords(parts)];
  const chosen =
    parts.bySetPos.length > 0 ? [`of these the ${list(parts.bySetPos.map(place))} of each ${UNITS[parts.freq]}`] : [];
  const end = endWords(parts);
  const changed = [
    ...(exDates.length > 0 ? [`without ${list(exDates)}`] : []),
    ...(rDates.length > 0 ? [`and also at ${list(rDates)}`] : []),
  ];
  return [
    `${every(parts.interval, UNITS[parts.freq])}${when.map((word) => ` ${word}`).join('')}`,
    ...chosen,
    `from ${dtStart}`,
    ...end,
    ...changed,
  ].join(', ');
}

function dayWords(parts: RruleParts): string[] {
  const { byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = parts;
  const words = [
    byMonth.length > 0 ? `in ${list(runs(byMonth, (month) => MONTHS[month] ?? ''))}` : '',
    byWeekNo.length > 0 ? `in week ${list(byWeekNo.map(fromEnd))} of the year` : '',
    byYearDay.length > 0 ? `on day ${list(byYearDay.map(fromEnd))} of the year` : '',
    byMonthDay.length > 0 ? `on day ${list(byMonthDay.map(fromEnd))} of the month` : '',
  ].filter((word) => word !== '');
  if (byDay.length === 0) return words;
  const names = list(
    byDay.map((day) => weekdayWords(day, parts)),
    'or',
  );
  const alone = byYearDay.length + byMonthDay.length === 0;
  return [...words, alone ? `on ${names}` : `if that is ${names}`];
}

function weekdayWords({ weekday, nth }: RruleParts['byDay'][number], { freq, byMonth }: RruleParts): string {
  const name = WEEKDAYS[weekday] ?? '';
  if (nth === undefined) return name;
  return `the ${place(nth)} ${name} of the ${freq === 'YEARLY' && byMonth.length === 0 ? 'year' : 'month'}`;
}

function timeWords({ byHour, byMinute, bySecond }: RruleParts): string[] {
  return [
    byHour.length > 0 ? `in the hour${byHour.length > 1 ? 's' : ''} ${list(runs(byHour, two))}` : '',
    byMinute.length > 0 ? `at minute ${list(runs(byMinute, String))}` : '',
    bySecond.length > 0 ? `at second ${list(runs(bySecond, String))}` : '',
  ].filter((word) => word !== '');
}

function endWords({ count, until }: RruleParts): string[] {
  if (count !== undefined) return [`${count} time${count === 1 ? '' : 's'}`];
  return until === undefined ? [] : [`until ${until}`];
}

const fromEnd = (number: number): string =>
  number > 0 ? String(number) : number === -1 ? 'the last' : `${-number} from the end`;

function place(number: number): string {
  const suffix = Math.abs(number) > 5 ? `${Math.abs(number)}th` : ordinal(Math.abs(number));
  return number > 0 ? suffix : number === -1 ? 'last' : `${suffix} from the end`;
}
