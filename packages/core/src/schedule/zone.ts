import { DAY } from '../clock.ts';
import { ScheduleError } from './error.ts';
import { nearestZone } from './zone-names.ts';
import { offsetBy, type ZoneRules } from './zone-rules.ts';

/**
 * A stretch of time in which a zone keeps one offset. All figures are in seconds; instants since the
 * epoch. `start` and `end` are transitions, or the edges of what has been looked at, far enough from
 * any instant asked for; at such an edge the offset does not change.
 */
export interface Segment {
  start: number;
  end: number;
  /** Added to an instant gives the wall clock. */
  offset: number;
  offsetBefore: number;
  offsetAfter: number;
  /** From here on, and until `calmTo`, no local time is missing, and none exists twice. */
  calmFrom: number;
  calmTo: number;
}

const DAY_SECONDS = DAY / 1000;
/** The shortest stretch between two transitions is 4 days (Freetown 1939), since 1970 it is 7 (Gaza). */
const PROBE = 3 * DAY_SECONDS;
const BUCKET = 125 * PROBE;
/** Before this date zones keep local mean time; an hour of the 18th century is nobody's schedule. */
const EARLIEST = Date.UTC(1800, 0, 1) / 1000;
const LATEST = 8.64e12;

/**
 * The transitions of one zone, found by probing `Intl.DateTimeFormat` a year at a time and kept:
 * a call of Intl takes a microsecond, a whole search for the next fire takes less.
 */
export class Zone {
  readonly name: string;
  /** What the clock is ahead of UTC at an instant, both in seconds. */
  private readonly offsetAt: (instant: number) => number;
  private readonly buckets = new Map<number, readonly Segment[]>();
  private recent: Segment | undefined;

  /** `rules`: what somebody wrote down of the zone. Default: what this process knows of it. */
  constructor(name: string, rules?: ZoneRules) {
    this.name = name;
    this.offsetAt = rules ? (instant) => offsetBy(rules, instant) : offsetByIntl(wallFormat(name));
  }

  /** The segment that holds an instant, in seconds. */
  segmentAt(instant: number): Segment {
    const recent = this.recent;
    if (recent && instant >= recent.start && instant < recent.end) return recent;
    const segment = this.find(instant);
    this.recent = segment;
    return segment;
  }

  /** The zone has no change of the clock between 2000 and 2040: UTC, Asia/Kolkata, America/Phoenix. */
  isFixed(): boolean {
    const from = Date.UTC(2000, 0, 1) / 1000;
    const until = Date.UTC(2040, 0, 1) / 1000;
    for (let at = from; at < until; at = this.segmentAt(at).end) {
      const { offset, offsetAfter } = this.segmentAt(at);
      if (offset !== offsetAfter) return false;
    }
    return true;
  }

  private find(instant: number): Segment {
    const bucket = Math.floor(instant / BUCKET);
    let segments = this.buckets.get(bucket);
    if (!segments) {
      segments = this.probe(bucket * BUCKET - PROBE, (bucket + 1) * BUCKET + PROBE);
      // Equivalent mutant (statement removed): this is a cache: the next reader works out the same again.
      this.buckets.set(bucket, segments);
    }
    for (const segment of segments) if (instant < segment.end) return segment;
    throw new RangeError(`no offset known for instant ${instant} in ${this.name}`);
  }

  private probe(from: number, to: number): Segment[] {
    const changes: { at: number; offset: number }[] = [{ at: from, offset: this.offsetAt(from) }];
    for (let at = from; at < to; at += PROBE) this.addChanges(changes, at, at + PROBE);
    return changes.map(({ at, offset }, index) => {
      const offsetBefore = changes[index - 1]?.offset ?? offset;
      const after = changes[index + 1];
      const end = after?.at ?? to;
      const offsetAfter = after?.offset ?? offset;
      const calmFrom = at + Math.abs(offset - offsetBefore);
      const calmTo = end - Math.max(0, offset - offsetAfter);
      return { start: at, end, offset, offsetBefore, offsetAfter, calmFrom, calmTo };
    });
  }

  private addChanges(changes: { at: number; offset: number }[], from: number, to: number): void {
    const before = this.offsetAt(from);
    const offset = this.offsetAt(to);
    if (before === offset) return;
    let low = from;
    let high = to;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ at: high, offset });
  }
}

function offsetByIntl(format: Intl.DateTimeFormat): (instant: number) => number {
  return (instant) => {
    const at = Math.min(Math.max(instant, EARLIEST), LATEST);
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = (
      format.format(at * 1000).match(/\d+/g) ?? []
    ).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - at;
  };
}

const zones = new Map<string, Zone>();
/** Names that are none of a zone, and what was probably meant. The same mistake may stand above each line of a crontab, and Intl takes a while to find it. */
const unknownZones = new Map<string, string | undefined>();
const MAX_UNKNOWN_ZONES = 100;

/** The zone of that IANA name. Throws `ScheduleError` (`unknown_zone`) naming the nearest known one. */
export function zoneOf(name: string): Zone {
  // Intl takes any case; one entry for all keeps the list as short as the list of zones.
  const key = name.toLowerCase();
  const known = zones.get(key);
  if (known) return known;
  if (unknownZones.has(name)) throw unknownZone(name);
  const zone = new Zone(name);
  zones.set(key, zone);
  return zone;
}

function wallFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    // Engines differ in whether they take "+02:00"; a fixed offset is no zone anyway.
    if (/^[+-]/.test(timeZone)) throw new RangeError('an offset');
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw unknownZone(timeZone);
  }
}

function unknownZone(name: string): ScheduleError {
  if (!unknownZones.has(name)) {
    if (unknownZones.size >= MAX_UNKNOWN_ZONES) unknownZones.clear();
    unknownZones.set(name, nearestZone(name));
  }
  const suggestion = unknownZones.get(name);
  return new ScheduleError('unknown_zone', `unknown time zone "${name}"`, {
    part: name,
    allowed: suggestion ? `did you mean ${suggestion}?` : 'an IANA name such as Europe/Berlin, America/New_York or UTC',
  });
}
