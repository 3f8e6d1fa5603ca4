import { roughly } from './durations.ts';

const formats = new Map<string, Intl.DateTimeFormat>();
/** Of the instants that were shown last, by zone and instant: a table shows the same ones each second. */
const known = new Map<string, Parts>();
const MOST_KNOWN = 2000;
let zoneOfBrowser: string | undefined;

interface Parts {
  year: string;
  month: string;
  day: string;
  weekday: string;
  hour: string;
  minute: string;
  second: string;
  /** Of the zone: `CET`, `GMT-5`. */
  timeZoneName: string;
}

/** The zone of this browser, as it is when a page is loaded: to ask takes a tenth of a millisecond, and each instant does. */
export function ownZone(): string {
  zoneOfBrowser ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zoneOfBrowser;
}

/** An instant in a zone, as short as it stays plain: `21:14:03`, `Sun 22 Nov 02:30`, `22 Nov 2025 02:30`. */
export function shortInstant(at: number, { zone, now }: { zone: string; now: number }): string {
  const one = partsOf(at, zone);
  const today = partsOf(now, zone);
  const time = `${one.hour}:${one.minute}:${one.second}`;
  if (dateOf(one) === dateOf(today)) return time;
  if (one.year !== today.year) return `${one.day} ${one.month} ${one.year} ${time}`;
  return `${one.weekday} ${one.day} ${one.month} ${time}`;
}

/** All of an instant: `Sunday 22 November 2026, 02:30:00 Europe/Berlin (2026-11-22T01:30:00Z)`. */
export function fullInstant(at: number, zone: string): string {
  const { weekday, day, month, year, hour, minute, second } = partsOf(at, zone);
  const utc = new Date(at).toISOString();
  return `${weekday} ${day} ${month} ${year}, ${hour}:${minute}:${second} ${zone} (${utc.replace('.000Z', 'Z')})`;
}

/** `12 s ago`, `in 4 min`, `now`. */
export function relativeInstant(at: number, now: number): string {
  const ms = at - now;
  if (Math.abs(ms) < 1000) return 'now';
  return ms < 0 ? `${roughly(ms)} ago` : `in ${roughly(ms)}`;
}

/** The short name of a zone, `CET` or `GMT-5`; null: its clock shows the same as that of `own`, so that nobody can mistake one for the other. */
export function zoneNameBeside(at: number, { zone, own }: { zone: string; own: string }): string | null {
  if (zone === own) return null;
  const [there, here] = [partsOf(at, zone), partsOf(at, own)];
  const isSame = dateOf(there) === dateOf(here) && there.hour === here.hour && there.minute === here.minute;
  return isSame ? null : there.timeZoneName;
}

function dateOf({ year, month, day }: Parts): string {
  return `${year} ${month} ${day}`;
}

function partsOf(at: number, zone: string): Parts {
  const name = `${at} ${zone}`;
  const before = known.get(name);
  if (before) return before;
  const parts = readParts(at, zone);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(name, parts);
  return parts;
}

function readParts(at: number, zone: string): Parts {
  const found = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const { year = '', month = '', day = '', weekday = '', hour = '', minute = '', second = '' } = found;
  return { year, month, day, weekday, hour, minute, second, timeZoneName: found.timeZoneName ?? '' };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const before = formats.get(zone);
  if (before) return before;
  const made = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, year: 'numeric', month: 'short', day: 'numeric', weekday: 'short' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
  });
  formats.set(zone, made);
  return made;
}
