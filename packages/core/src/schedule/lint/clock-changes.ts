import { DAY } from '../../clock.ts';
import type { Schedule } from '../schedule.ts';
import type { Segment } from '../zone.ts';
import type { GapRule, LocalTimes, OverlapRule, ZonedTimes } from '../zoned.ts';
import type { ScheduleLint } from './lint.ts';

const LOOK_AHEAD_SECONDS = (400 * DAY) / 1000;

/** The changes of the clock in the next 400 days that hit the schedule. One that runs at all hours is not told. */
export function lintClockChanges(schedule: Schedule, now: Date): ScheduleLint[] {
  const times = hitTimes(schedule);
  if (!times) return [];
  const from = Math.floor(now.getTime() / 1000);
  const until = Math.min(from + LOOK_AHEAD_SECONDS, schedule.endAt / 1000);
  const lints: ScheduleLint[] = [];
  let segment = times.zone.segmentAt(from);
  while (segment.end < until) {
    segment = times.zone.segmentAt(segment.end);
    if (segment.offset !== segment.offsetBefore && segment.start * 1000 >= schedule.startAt)
      lints.push(...lintChange(times, segment));
  }
  return lints;
}

/** Local times that a change of the clock may hit, and whether the schedule says what happens then. */
type HitTimes = ZonedTimes & { hasChoice: boolean };

function hitTimes(schedule: Schedule): HitTimes | undefined {
  if (schedule.kind === 'cron')
    return schedule.pattern.hour === 0xff_ffff ? undefined : { ...schedule.times, hasChoice: true };
  if (schedule.kind !== 'rrule' || !isSparse(schedule.spec.rule)) return undefined;
  const { recurrence, added, until } = schedule;
  return { ...recurrence, local: earliest(recurrence.local, added?.local, until), hasChoice: false };
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
