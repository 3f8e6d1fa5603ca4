import { type CronSchedule, type CronSpec, parseSchedule } from '@escapement/core';
import { cannotSay } from '../../translated/translated.ts';
import { valuesOf } from './read-parts.ts';

interface Field {
  min: number;
  max: number;
  words?: readonly string[];
}

const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const WEEKDAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ');
/** In the order of `OnCalendar=`, which begins the week with Monday. */
const NAMES = 'Mon Tue Wed Thu Fri Sat Sun'.split(' ');

const FIELDS = {
  second: { min: 0, max: 59 },
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  day: { min: 1, max: 31 },
  month: { min: 1, max: 12, words: MONTHS },
  weekday: { min: 0, max: 6, words: WEEKDAYS },
  year: { min: 1970, max: 2099 },
} as const satisfies { [name: string]: Field };

const MACROS: { readonly [name: string]: string } = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
  '@minutely': '* * * * *',
};

/** The lines of `OnCalendar=` that say the same as a cron schedule. Throws `cannot_say`. */
export function calendarsOf(spec: CronSpec, seed: string): string[] {
  if (spec.dialect === 'quartz') throw cannotSay('its expression is one of Quartz', 'write it in the dialect unix');
  if (spec.dayOffset || spec.workingDayOffset)
    throw cannotSay('systemd cannot say "days before" or "days after"', 'leave dayOffset out');
  const schedule = parseSchedule(spec, { seed });
  if (schedule.kind !== 'cron') throw cannotSay('it is no cron expression', 'it has to be one');
  return linesOf(partsOf(schedule), schedule, spec.timeZone);
}

interface Parts {
  second: string;
  minute: string;
  hour: string;
  days: string;
  month: string;
  weekdays: string;
  year: string;
}

function partsOf({ expression }: CronSchedule): Parts {
  const written = MACROS[expression.trim().toLowerCase()] ?? expression.trim();
  const words = written.split(/\s+/);
  const [second = '0', minute = '*', hour = '*', days = '*', month = '*', weekdays = '*', year = '*'] =
    words.length === 5 ? ['0', ...words] : words;
  return {
    second,
    minute,
    hour,
    days: days.replace('?', '*'),
    month,
    weekdays: weekdays.replace('+', '').replace('?', '*'),
    year,
  };
}

function linesOf(parts: Parts, { pattern }: CronSchedule, timeZone: string): string[] {
  const date = `${textOf(parts.year, FIELDS.year)}-${textOf(parts.month, FIELDS.month)}`;
  const time = [
    textOf(parts.hour, FIELDS.hour),
    textOf(parts.minute, FIELDS.minute),
    textOf(parts.second, FIELDS.second),
  ].join(':');
  const line = (weekdays: string, days: string) =>
    [weekdays, `${date}${days}`, time, timeZone].filter(Boolean).join(' ');
  const days = dayTexts(parts.days);
  const weekdays = weekdayTexts(parts.weekdays);
  if (pattern.day.either)
    return [...days.map((each) => line('', each)), ...weekdays.map((each) => line(each.weekdays, each.days ?? '-*'))];
  const isNth = weekdays.some((each) => each.days !== undefined);
  if (isNth && parts.days !== '*')
    throw cannotSay('systemd has no nth weekday that is a certain day as well', 'leave one of them out');
  if (isNth) return weekdays.map((each) => line(each.weekdays, each.days ?? '-*'));
  return days.map((each) => line(weekdays[0]?.weekdays ?? '', each));
}

/** Days of a month, and those that count from its end: a line each. */
function dayTexts(text: string): string[] {
  const members = text.split(',');
  if (members.includes('*')) return ['-*'];
  if (members.some((member) => /W/i.test(member)))
    throw cannotSay('systemd has no nearest working day (W)', 'name the days');
  const last = members.filter((member) => /^L/i.test(member)).map((member) => Number(/\d+/.exec(member)?.[0] ?? 0) + 1);
  if (last.some((day) => day > 28))
    throw cannotSay('systemd counts at most 28 days from the end of a month', 'name the days');
  const plain = members.filter((member) => !/^L/i.test(member));
  return [
    ...(plain.length > 0 ? [`-${textOf(plain.join(','), FIELDS.day)}`] : []),
    ...(last.length > 0 ? [`~${last.map(twoDigits).join(',')}`] : []),
  ];
}

/** Plain weekdays, and a line for each nth one: the third Monday is a Monday from the 15th to the 21st. */
function weekdayTexts(text: string): { weekdays: string; days?: string }[] {
  const members = text.toUpperCase().split(',');
  if (members.includes('*')) return [{ weekdays: '' }];
  const nth = members.flatMap((member) => nthOf(member) ?? []);
  const plain = members.filter((member) => !nthOf(member));
  return [...(plain.length > 0 ? [{ weekdays: weekdayList(plain) }] : []), ...nth];
}

function nthOf(member: string): { weekdays: string; days: string } | undefined {
  const [, word = '', number, last] = /^(\w+?)(?:#(\d|L)|(L))$/.exec(member) ?? [];
  if (word === '') return undefined;
  const weekdays = weekdayList([word]);
  if (last !== undefined || number === 'L') return { weekdays, days: '~07/1' };
  const first = (Number(number) - 1) * 7 + 1;
  return { weekdays, days: `-${twoDigits(first)}..${twoDigits(Math.min(31, first + 6))}` };
}

function weekdayList(members: readonly string[]): string {
  const days = members.flatMap((member) => valuesIn(member, FIELDS.weekday)).map((day) => (day + 6) % 7);
  const sorted = [...new Set(days)].sort((one, other) => one - other);
  if (sorted.length === NAMES.length) return '';
  const runs: number[][] = [];
  for (const day of sorted) {
    const run = runs.at(-1);
    if (run && run.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  return runs
    .flatMap((run) =>
      run.length < 3 ? run.map((day) => NAMES[day]) : [`${NAMES[run[0] ?? 0]}..${NAMES[run.at(-1) ?? 0]}`],
    )
    .join(',');
}

const MEMBER = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/;

/** A field in the words of systemd. Forms stay as they are, because an interval is another thing than a list when the clock changes. */
function textOf(text: string, field: Field): string {
  const members = text.split(',').map((member) => memberText(member, field));
  return members.includes('*') ? '*' : members.join(',');
}

function memberText(member: string, field: Field): string {
  const [, first = '', last, stepText] = MEMBER.exec(member) ?? [];
  const step = Number(stepText ?? 1);
  if (first === '*' && step === 1) return '*';
  const from = first === '*' ? field.min : numberOf(first, field);
  if (last === undefined) {
    if (stepText === undefined || from + step > field.max) return twoDigits(from);
    return step === 1 ? `${twoDigits(from)}..${field.max}` : `${twoDigits(from)}/${step}`;
  }
  const to = numberOf(last, field);
  if (to < from) return valuesIn(member, field).map(twoDigits).join(',');
  return `${twoDigits(from)}..${twoDigits(to)}${step > 1 && from + step <= to ? `/${step}` : ''}`;
}

/** The values of a member, a range that goes over the end included. */
function valuesIn(member: string, field: Field): number[] {
  const [, first = '', last, step] = MEMBER.exec(member) ?? [];
  const from = first === '*' ? field.min : numberOf(first, field);
  const open = first === '*' || step !== undefined ? field.max : from;
  const to = last === undefined ? open : numberOf(last, field);
  if (to >= from) return valuesOf([{ from, to, step: Number(step ?? 1) }]);
  const size = field.max - field.min + 1;
  return valuesOf([{ from, to: to + size, step: Number(step ?? 1) }]).map(
    (value) => ((value - field.min) % size) + field.min,
  );
}

function numberOf(word: string, { min, words }: Field): number {
  const place = words?.indexOf(word.toUpperCase()) ?? -1;
  return place >= 0 ? place + min : Number(word);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
