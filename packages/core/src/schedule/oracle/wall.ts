import type { ZoneRules } from '../zone-rules.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A zone as this process knows it, by its name; or as somebody wrote it down. */
export type Wall = string | ZoneRules;

/** Offsets by hour. No zone changes its clock twice within an hour. */
const zones = new Map<string, { format: Intl.DateTimeFormat; hours: Map<number, number> }>();
const HOURS_MAX = 100_000;

function offsetByIntl(format: Intl.DateTimeFormat, at: number): number {
  const [day = 1, month = 1, year = 0, hour = 0, minute = 0, second = 0] = format.format(at).split(/\D+/).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

function zoneOf(timeZone: string): { format: Intl.DateTimeFormat; hours: Map<number, number> } {
  const known = zones.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  const zone = { format, hours: new Map<number, number>() };
  zones.set(timeZone, zone);
  return zone;
}

/** One change after the other: no code in common with the zones that are checked. */
function offsetByRules({ offset, changes }: ZoneRules, at: number): number {
  const last = changes.findLast(([from]) => from * SECOND <= at);
  return (last?.[1] ?? offset) * SECOND;
}

function offsetExactly(wall: Wall, at: number): number {
  return typeof wall === 'string' ? offsetByIntl(zoneOf(wall).format, at) : offsetByRules(wall, at);
}

function offsetAtHour(timeZone: Wall, hour: number): number {
  if (typeof timeZone !== 'string') return offsetByRules(timeZone, hour * HOUR);
  const { format, hours } = zoneOf(timeZone);
  const known = hours.get(hour);
  if (known !== undefined) return known;
  const offset = offsetByIntl(format, hour * HOUR);
  if (hours.size >= HOURS_MAX) hours.clear();
  hours.set(hour, offset);
  return offset;
}

/** What a zone's clock is ahead of UTC at an instant, in milliseconds. */
export function offsetAt(timeZone: Wall, at: number): number {
  const hour = Math.floor(at / HOUR);
  const offset = offsetAtHour(timeZone, hour);
  return offset === offsetAtHour(timeZone, hour + 1) ? offset : offsetExactly(timeZone, at);
}

/** The lowest and highest local time that can have to do with an instant between `from` and `to`. */
export function localRange(timeZone: Wall, from: number, to: number): { low: number; high: number } {
  // A gap of a whole day (Apia 2011) may fire a day after its start; so the day before counts too.
  const [first, last] = [Math.floor(from / HOUR) - 25, Math.ceil(to / HOUR) + 1];
  if (last - first > 400) return { low: from - 13 * HOUR, high: to + 15 * HOUR };
  const offsets: number[] = [];
  for (let hour = first; hour <= last; hour++) offsets.push(offsetAtHour(timeZone, hour));
  return { low: from + Math.min(...offsets), high: to + Math.max(...offsets) };
}

/** What a local time (epoch ms, as if the zone were UTC) means: the instants that show it, or the gap it falls into. */
export type Meaning = { instants: readonly number[] } | { gapEnd: number; offsetBefore: number };

export function meaningOf(timeZone: Wall, local: number): Meaning {
  const first = Math.floor((local - 15 * HOUR) / HOUR);
  const last = Math.ceil((local + 13 * HOUR) / HOUR);
  const offsets = new Set<number>();
  for (let hour = first; hour <= last; hour++) offsets.add(offsetAtHour(timeZone, hour));
  const instants = [...offsets].map((offset) => local - offset).filter((at) => at + offsetAt(timeZone, at) === local);
  if (instants.length > 0) return { instants: instants.sort((a, b) => a - b) };
  return gapAround(timeZone, local, { first, last });
}

function gapAround(timeZone: Wall, local: number, { first, last }: { first: number; last: number }): Meaning {
  for (let hour = first; hour < last; hour++) {
    const offsetBefore = offsetAtHour(timeZone, hour);
    const offsetAfter = offsetAtHour(timeZone, hour + 1);
    if (offsetAfter <= offsetBefore) continue;
    const gapEnd = changeWithin(timeZone, hour, offsetBefore);
    if (gapEnd + offsetBefore <= local && local < gapEnd + offsetAfter) return { gapEnd, offsetBefore };
  }
  const name = typeof timeZone === 'string' ? timeZone : 'the zone';
  throw new Error(`no wall clock of ${name} comes near ${new Date(local).toISOString()}`);
}

const changes = new Map<string, number>();

/** The first second after the start of an hour that no longer has the offset of before. */
function changeWithin(timeZone: Wall, hour: number, offsetBefore: number): number {
  if (typeof timeZone !== 'string') return searchChange(timeZone, hour, offsetBefore);
  const key = `${timeZone} ${hour}`;
  const known = changes.get(key) ?? searchChange(timeZone, hour, offsetBefore);
  changes.set(key, known);
  return known;
}

function searchChange(timeZone: Wall, hour: number, offsetBefore: number): number {
  let at = hour * HOUR;
  for (const stride of [15 * MINUTE, MINUTE, SECOND])
    while (offsetExactly(timeZone, at + stride) === offsetBefore) at += stride;
  return at + SECOND;
}
