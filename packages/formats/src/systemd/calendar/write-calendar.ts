import {
  type CronReading,
  type CronSpec,
  type Item,
  isSpan,
  parseSchedule,
  type ReadField,
  readCron,
  type Span,
} from '@escapement/core/schedule';
import { cannotSay } from '../../translated/translated.ts';
import { FIELDS, valuesOf } from './read-parts.ts';

/** In the order of `OnCalendar=`, which begins the week with Monday. */
const NAMES = 'Mon Tue Wed Thu Fri Sat Sun'.split(' ');

/** The lines of `OnCalendar=` that say the same as a cron schedule. Throws `cannot_say`. */
export function calendarsOf(spec: CronSpec, seed: string): string[] {
  if (spec.dialect === 'quartz') throw cannotSay('its expression is one of Quartz', 'write it in the dialect unix');
  if (spec.dayOffset || spec.workingDayOffset)
    throw cannotSay('systemd cannot say "days before" or "days after"', 'leave dayOffset out');
  const schedule = parseSchedule(spec, { seed });
  if (schedule.kind !== 'cron') throw cannotSay('it is no cron expression', 'it has to be one');
  const { fields } = readCron(schedule.expression, spec.dialect ?? 'unix');
  return linesOf(fields, { either: schedule.pattern.day.either, timeZone: spec.timeZone });
}

function linesOf(fields: CronReading['fields'], { either, timeZone }: { either: boolean; timeZone: string }): string[] {
  const text = (name: 'year' | 'month' | 'hour' | 'minute' | 'second') => listText(spansOf(fields[name]), FIELDS[name]);
  const time = [text('hour'), text('minute'), text('second')].join(':');
  const line = (weekdays: string, days: string) =>
    [weekdays, `${text('year')}-${text('month')}${days}`, time, timeZone].filter(Boolean).join(' ');
  const days = dayTexts(fields.dayOfMonth);
  const weekdays = weekdayTexts(fields.dayOfWeek);
  if (either)
    return [...days.map((each) => line('', each)), ...weekdays.map((each) => line(each.weekdays, each.days ?? '-*'))];
  const isNth = weekdays.some((each) => each.days !== undefined);
  if (isNth && !days.includes('-*'))
    throw cannotSay('systemd has no nth weekday that is a certain day as well', 'leave one of them out');
  if (isNth) return weekdays.map((each) => line(each.weekdays, each.days ?? '-*'));
  return days.map((each) => line(weekdays[0]?.weekdays ?? '', each));
}

function spansOf({ items }: ReadField): Span[] {
  return items.filter(isSpan);
}

/** Days of a month, and those that count from its end: a line each. */
function dayTexts(field: ReadField): string[] {
  if (field.items.some(({ kind }) => kind === 'all')) return ['-*'];
  const last = field.items.flatMap((item) => dayFromEnd(item) ?? []);
  const plain = spansOf(field);
  return [
    ...(plain.length > 0 ? [`-${listText(plain, FIELDS.day)}`] : []),
    ...(last.length > 0 ? [`~${last.map(twoDigits).join(',')}`] : []),
  ];
}

function dayFromEnd(item: Item): number | undefined {
  if (item.kind === 'nearest' || (item.kind === 'last' && item.onWeekday))
    throw cannotSay('systemd has no nearest working day (W)', 'name the days');
  if (item.kind !== 'last') return undefined;
  if (item.back < 28) return item.back + 1;
  throw cannotSay('systemd counts at most 28 days from the end of a month', 'name the days');
}

/** Plain weekdays, and a line for each nth one: the third Monday is a Monday from the 15th to the 21st. */
function weekdayTexts({ items, values }: ReadField): { weekdays: string; days?: string }[] {
  if (items.some(({ kind }) => kind === 'all')) return [{ weekdays: '' }];
  const nth = items.flatMap((item) => (item.kind === 'nth' ? nthText(item) : []));
  return [...(values.length > 0 ? [{ weekdays: weekdayList(values) }] : []), ...nth];
}

function nthText({ weekday, nth }: Extract<Item, { kind: 'nth' }>): { weekdays: string; days: string } {
  const weekdays = weekdayList([weekday]);
  if (nth < 0) return { weekdays, days: '~07/1' };
  const first = (nth - 1) * 7 + 1;
  return { weekdays, days: `-${twoDigits(first)}..${twoDigits(Math.min(31, first + 6))}` };
}

/** `values`: 0 to 6 from Sunday. */
function weekdayList(values: readonly number[]): string {
  const sorted = values.map((day) => (day + 6) % 7).sort((one, other) => one - other);
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

interface Bounds {
  min: number;
  max: number;
}

/** A field in the words of systemd. Forms stay as they are, because an interval is another thing than a list when the clock changes. */
function listText(spans: readonly Span[], bounds: Bounds): string {
  if (spans.some(({ kind }) => kind === 'all')) return '*';
  return spans.map((span) => spanText(span, bounds)).join(',');
}

function spanText({ kind, from, to, step }: Span, { min, max }: Bounds): string {
  // One that goes over the end of the field.
  if (to < from) {
    const size = max - min + 1;
    const values = valuesOf([{ from, to: to + size, step }]);
    return values.map((value) => twoDigits(((value - min) % size) + min)).join(',');
  }
  if (kind === 'value' || from + step > to) return twoDigits(from);
  if (step > 1 && to === max) return `${twoDigits(from)}/${step}`;
  return `${twoDigits(from)}..${twoDigits(to)}${step > 1 ? `/${step}` : ''}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
