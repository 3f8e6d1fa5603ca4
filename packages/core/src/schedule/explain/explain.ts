import type { CronSchedule, Schedule } from '../schedule.ts';
import { describeSchedule } from './describe.ts';
import { duration } from './wording.ts';

/** The schedule in full sentences: what `describeSchedule` says, on which clock, and what clock changes, bounds and jitter do to it. */
export function explainSchedule(schedule: Schedule): string {
  const sentences = [
    `${capital(describeSchedule(schedule))}${clock(schedule)}.`,
    ...clockChanges(schedule),
    ...limits(schedule),
  ];
  return sentences.join(' ');
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function clock({ spec }: Schedule): string {
  return 'timeZone' in spec ? `, on the clock of ${spec.timeZone}` : '';
}

function clockChanges(schedule: Schedule): string[] {
  if (schedule.kind === 'rrule')
    return [
      'A local time that does not exist fires later by the length of the gap; one that comes twice, the first time.',
    ];
  if (schedule.kind !== 'cron' || schedule.times.zone.isFixed()) return [];
  return schedule.pattern.interval ? [elapsedTime(schedule)] : [fixedTime(schedule)];
}

/** The class is named, as it decides: a wildcard, range or step in the time, or none. */
function elapsedTime({ times }: CronSchedule): string {
  const gap = times.gap === 'skip' ? 'local times that do not exist are left out' : GAP[times.gap];
  const overlap = times.overlap === 'both' ? 'those that come twice fire both times' : OVERLAP[times.overlap];
  return `It follows elapsed time when the clock changes: ${gap}, ${overlap}.`;
}

function fixedTime({ times }: CronSchedule): string {
  return `When the clock changes, ${GAP[times.gap]}, ${OVERLAP[times.overlap]}.`;
}

const GAP = {
  'next-valid': 'a local time that does not exist fires at the first instant after the gap',
  shift: 'a local time that does not exist fires later by the length of the gap',
  skip: 'a local time that does not exist is left out',
};

const OVERLAP = {
  first: 'and one that comes twice fires the first time',
  second: 'and one that comes twice fires the second time',
  both: 'and one that comes twice fires both times',
};

function limits({ spec }: Schedule): string[] {
  const { startAt, endAt, maxRuns, jitterMs = 0 } = spec;
  return [
    ...(startAt ? [`Not before ${startAt}.`] : []),
    ...(endAt ? [`Not after ${endAt}.`] : []),
    ...(maxRuns ? [`It ends after ${maxRuns} run${maxRuns === 1 ? '' : 's'}.`] : []),
    ...(jitterMs > 0
      ? [`Each run is delayed by less than ${duration(jitterMs)}, always the same for the same occurrence.`]
      : []),
  ];
}
