import type { components } from '../api/generated/openapi.ts';
import { MONTHS } from './day-words.ts';

type Entry = components['schemas']['CalendarDefinition']['entries'][number];
type Weekday = NonNullable<Entry['weekdays']>[number];

const DAYS: Readonly<Record<Weekday, string>> = {
  SUN: 'Sundays',
  MON: 'Mondays',
  TUE: 'Tuesdays',
  WED: 'Wednesdays',
  THU: 'Thursdays',
  FRI: 'Fridays',
  SAT: 'Saturdays',
};
/** Dates that are named; of others the year view tells. */
const NAMED = 8;

/** What an entry of a calendar says: `on Saturdays and Sundays`, `every year on 25 December`. */
export function entryWords(entry: Entry): string {
  const { dates, weekdays, from, to, hours } = entry;
  const days = [
    ...(dates ? [dateWords(dates)] : []),
    ...(from !== undefined && to !== undefined ? [rangeWords(from, to)] : []),
    ...(weekdays ? [`on ${listed(weekdays.map((each) => DAYS[each]))}`] : []),
  ];
  const times = hours ? [listed(hours.map(hourWords))] : [];
  const all = days.length > 1 ? [`${days.join(', and ')} at once`, ...times] : [...days, ...times];
  if (days.length === 0) all.unshift('each day');
  return all.join(', ');
}

function dateWords(dates: readonly string[]): string {
  const once = dates.filter((date) => date.length > 5);
  const yearly = dates.filter((date) => date.length === 5);
  return [
    ...(once.length > 0 ? [`on ${someOf(once)}`] : []),
    ...(yearly.length > 0 ? [`every year on ${someOf(yearly)}`] : []),
  ].join(' and ');
}

function someOf(dates: readonly string[]): string {
  const named = dates.slice(0, NAMED).map(dayWords);
  const left = dates.length - named.length;
  return listed(left > 0 ? [...named, `${left.toLocaleString('en')} more days`] : named);
}

function rangeWords(from: string, to: string): string {
  return `${from.length === 5 ? 'every year ' : ''}from ${dayWords(from)} to ${dayWords(to)}`;
}

/** `2026-12-25`: 25 December 2026. */
function dayWords(date: string): string {
  const [day = '', month = '', year] = date.split('-').reverse();
  const words = `${Number(day)} ${MONTHS[Number(month) - 1] ?? month}`;
  return year === undefined ? words : `${words} ${year}`;
}

/** `9:30-17`: from 09:30 to 17:00. */
function hourWords(hours: string): string {
  const [from = '', to = ''] = hours.split('-').map((time) => {
    const [hour = '', minute = '00'] = time.split(':');
    return `${hour.padStart(2, '0')}:${minute}`;
  });
  return from < to || to === '00:00' ? `from ${from} to ${to}` : `from ${from} to 24:00 and from 00:00 to ${to}`;
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
