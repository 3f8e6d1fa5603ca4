import { DAY } from '../../clock.ts';
import type { Schedule } from '../schedule.ts';
import { type Segment, type Zone, zoneOf } from '../zone.ts';
import type { GapRule, LocalTimes, OverlapRule, ZonedTimes } from '../zoned.ts';
import type { ScheduleLint } from './schedule-lint.ts';

const LOOK_AHEAD_SECONDS = (400 * DAY) / 1000;

/** A change of the clock, and what a schedule makes of it. */
export interface ClockChange {
  /** The first instant with the new offset. */
  at: Date;
  message: string;
  /** What to write instead, where the schedule has a choice. */
  fix?: string;
}

/** The changes of the clock in the next 400 days that hit the schedule. One that runs at all hours is not told. */
export function lintClockChanges(schedule: Schedule, now: Date): ScheduleLint[] {
  const times = hitTimes(schedule);
  if (!times || times.atAllHours) return [];
  return [...changesAhead(times.zone, schedule, now)].flatMap((change) => lintChange(times, change));
}

/**
 * The next changes of the clock by which a schedule goes, in the 400 days after `now`, whether they hit it or not;
 * undefined: it goes by no clock but by elapsed time.
 */
export function clockChangesAhead(schedule: Schedule, now: Date, count: number): ClockChange[] | undefined {
  const times = hitTimes(schedule);
  if (!times) return undefined;
  const changes = [...changesAhead(times.zone, schedule, now)].slice(0, count);
  return changes.map((change) => {
    const [hit] = lintChange(times, change);
    const calm = { at: new Date(change.start * 1000), message: calmWords(times, change, hit !== undefined) };
    const goesOn = times.atAllHours && times.gap === 'skip' && times.overlap === 'both';
    if (!hit || goesOn) return calm;
    return { at: calm.at, message: hit.message, ...(hit.fix === undefined ? {} : { fix: hit.fix }) };
  });
}

/** The changes of a zone's clock in a time, in words. */
export function zoneChanges(timeZone: string, { from, to }: { from: Date; to: Date }): ClockChange[] {
  const zone = zoneOf(timeZone);
  const changes: ClockChange[] = [];
  let segment = zone.segmentAt(Math.floor(from.getTime() / 1000));
  for (; segment.end * 1000 <= to.getTime(); ) {
    segment = zone.segmentAt(segment.end);
    if (segment.offset !== segment.offsetBefore)
      changes.push({ at: new Date(segment.start * 1000), message: changeWords(zone, segment) });
  }
  return changes;
}

function* changesAhead(zone: Zone, { startAt, endAt }: Schedule, now: Date): Iterable<Segment> {
  const from = Math.floor(now.getTime() / 1000);
  const until = Math.min(from + LOOK_AHEAD_SECONDS, endAt / 1000);
  let segment = zone.segmentAt(from);
  while (segment.end < until) {
    segment = zone.segmentAt(segment.end);
    if (segment.offset !== segment.offsetBefore && segment.start * 1000 >= startAt) yield segment;
  }
}

function calmWords({ zone }: HitTimes, segment: Segment, hit: boolean): string {
  return `${changeWords(zone, segment)}; ${hit ? 'it goes on as time does' : 'it hits none of its fires'}`;
}

function changeWords(zone: Zone, { start, offset, offsetBefore }: Segment): string {
  const [was, is] = [offsetBefore, offset].map((each) => new Date((start + each) * 1000).toISOString());
  return `${was?.slice(0, 10)}: the clock of ${zone.name} goes from ${was?.slice(11, 16)} to ${is?.slice(11, 16)}`;
}

/** Local times that a change of the clock may hit, and whether the schedule says what happens then. */
type HitTimes = ZonedTimes & { hasChoice: boolean; atAllHours: boolean };

function hitTimes(schedule: Schedule): HitTimes | undefined {
  if (schedule.kind === 'cron')
    return { ...schedule.times, hasChoice: true, atAllHours: schedule.pattern.hour === 0xff_ffff };
  if (schedule.kind !== 'rrule') return undefined;
  const { recurrence, added, until, spec } = schedule;
  const local = earliest(recurrence.local, added?.local, until);
  return { ...recurrence, local, hasChoice: false, atAllHours: !isSparse(spec.rule) };
}

/** As with cron: one that runs at all hours is not told. */
function isSparse(rule: string): boolean {
  return !/FREQ=(HOURLY|MINUTELY|SECONDLY)/i.test(rule);
}

/** `until` is an instant; a day's difference to the wall clock does not matter to a hint. */
function earliest(rule: LocalTimes, added: LocalTimes | undefined, until: number): LocalTimes {
  return {
    next(from) {
      const next = rule.next(from);
      return Math.min(
        next <= until + 86_400 ? next : Number.POSITIVE_INFINITY,
        added?.next(from) ?? Number.POSITIVE_INFINITY,
      );
    },
  };
}

function lintChange(times: HitTimes, { start, offset, offsetBefore }: Segment): ScheduleLint[] {
  const first = start + Math.min(offset, offsetBefore);
  const hit = times.local.next(first);
  if (hit >= start + Math.max(offset, offsetBefore)) return [];
  const local = new Date(hit * 1000).toISOString();
  const at = new Date(start * 1000);
  const when = `${local.slice(0, 10)}: the local time ${local.slice(11, 16)}`;
  if (offset > offsetBefore)
    return [
      {
        code: 'clock_gap',
        message: `${when} does not exist in ${times.zone.name}; ${GAP[times.gap]}`,
        ...(times.hasChoice ? { fix: 'dst.gap: next-valid, shift or skip' } : {}),
        at,
      },
    ];
  return [
    {
      code: 'clock_overlap',
      message: `${when} comes twice in ${times.zone.name}; ${OVERLAP[times.overlap]}`,
      ...(times.hasChoice ? { fix: 'dst.overlap: first, second or both' } : {}),
      at,
    },
  ];
}

const GAP: { readonly [rule in GapRule]: string } = {
  'next-valid': 'it fires at the first instant after the gap',
  shift: 'it fires later, by the length of the gap',
  skip: 'it is left out',
};

const OVERLAP: { readonly [rule in OverlapRule]: string } = {
  first: 'it fires the first time',
  second: 'it fires the second time',
  both: 'it fires both times',
};
