import { DAY } from '../../clock.ts';
import type { CronSchedule } from '../schedule.ts';
import type { Segment } from '../zone.ts';
import type { GapRule, OverlapRule } from '../zoned.ts';
import type { ScheduleLint } from './lint.ts';

const LOOK_AHEAD_SECONDS = (400 * DAY) / 1000;

/** The changes of the clock in the next 400 days that hit the schedule. One that runs at all hours is not told. */
export function lintClockChanges(schedule: CronSchedule, now: Date): ScheduleLint[] {
  if (schedule.pattern.hour === 0xff_ffff) return [];
  const from = Math.floor(now.getTime() / 1000);
  const lints: ScheduleLint[] = [];
  let segment = schedule.times.zone.segmentAt(from);
  while (segment.end < from + LOOK_AHEAD_SECONDS) {
    segment = schedule.times.zone.segmentAt(segment.end);
    if (segment.offset !== segment.offsetBefore) lints.push(...lintChange(schedule, segment));
  }
  return lints;
}

function lintChange({ times, spec }: CronSchedule, { start, offset, offsetBefore }: Segment): ScheduleLint[] {
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
        message: `${when} does not exist in ${spec.timeZone}; ${GAP[times.gap]}`,
        fix: 'dst.gap: next-valid, shift or skip',
        at,
      },
    ];
  return [
    {
      code: 'clock_overlap',
      message: `${when} comes twice in ${spec.timeZone}; ${OVERLAP[times.overlap]}`,
      fix: 'dst.overlap: first, second or both',
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
