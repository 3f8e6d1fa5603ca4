import { HOUR, MINUTE } from '../clock.ts';
import { firesBetween, parseSchedule, type Schedule, zoneChanges } from '../schedule/index.ts';
import { inUtc } from '../words.ts';
import type { CronStart } from './pair-starts.ts';

/** What a difference comes from. `null`: nobody knows. */
export type DifferenceCause = 'clock-change' | 'day-fields' | 'host-down' | 'host-start' | null;

/** A fire that only one of both has. */
export interface Difference {
  at: Date;
  kind: 'only-cron' | 'only-here';
  cause: DifferenceCause;
  /** Why, in plain words. */
  words: string;
}

/** What is known of all lines of a host. */
export interface HostFacts {
  /** All starts, the first one first. */
  starts: readonly CronStart[];
  /** Fires of the plan without a start, of all its lines, in milliseconds, the first one first. */
  missing: readonly number[];
}

/** Crons catch up, or leave out, what lies within three hours of a change of the clock. */
const CLOCK_CHANGE_MS = 3 * HOUR;

/** Why cron has started a line when the plan has no fire. */
export function explainOnlyCron({ startedAt: at }: CronStart, schedule: Schedule): Difference {
  const found = { at, kind: 'only-cron' } as const;
  if (schedule.kind === 'manual')
    return {
      ...found,
      cause: 'host-start',
      words: 'cron starts it with the host; here it runs when the fleet comes up',
    };
  const change = clockChangeNear(schedule, at);
  if (change) return { ...found, cause: 'clock-change', words: change };
  const minute = new Date(Math.floor(at.getTime() / MINUTE) * MINUTE);
  if (otherDayRule(schedule, minute) === true)
    return {
      ...found,
      cause: 'day-fields',
      words: 'this cron takes the two day fields by the other rule: here one of them does not match',
    };
  return { ...found, cause: null, words: 'cron started it, and nothing was due here' };
}

/** Why the plan has a fire that cron has not started. */
export function explainOnlyHere(at: Date, schedule: Schedule, host: HostFacts): Difference {
  const found = { at, kind: 'only-here' } as const;
  const change = clockChangeNear(schedule, at);
  if (change) return { ...found, cause: 'clock-change', words: change };
  const down = hostDownAt(at, host);
  if (down) return { ...found, cause: 'host-down', words: down };
  if (otherDayRule(schedule, at) === false)
    return {
      ...found,
      cause: 'day-fields',
      words: 'this cron takes the two day fields by the other rule: for it both have to match',
    };
  return { ...found, cause: null, words: 'due here, and the host has reported no start, though it was up' };
}

function clockChangeNear({ spec }: Schedule, at: Date): string | undefined {
  if (!('timeZone' in spec) || spec.timeZone === undefined) return undefined;
  const span = { from: new Date(at.getTime() - CLOCK_CHANGE_MS), to: new Date(at.getTime() + CLOCK_CHANGE_MS) };
  return zoneChanges(spec.timeZone, span)[0]?.message;
}

/** Whether it is due then if the two day fields are taken by the other rule; undefined: they are not both restricted. */
function otherDayRule({ spec }: Schedule, at: Date): boolean | undefined {
  if (spec.kind !== 'cron') return undefined;
  const [minute, hour, date = '', month, weekday = ''] = spec.expression.trim().split(/\s+/);
  if ([date, weekday].some((field) => field === '' || field === '*' || field === '?')) return undefined;
  // Some crons take a field that begins with a star for one that restricts nothing, others do not.
  const [dates, weekdays] = [date.replace(/^\*\//, '1-31/'), weekday.replace(/^\*\//, '0-6/')];
  const either = [minute, hour, dates, month, weekdays].join(' ');
  const byBoth = firesAt(parseSchedule({ ...spec, dayMatch: 'and' }), at);
  const byEither = firesAt(parseSchedule({ ...spec, expression: either, dayMatch: 'or' }), at);
  if (byBoth === byEither) return undefined;
  return firesAt(parseSchedule(spec), at) === byBoth ? byEither : byBoth;
}

function firesAt(schedule: Schedule, at: Date): boolean {
  return firesBetween(schedule, new Date(at.getTime() - 1), new Date(at.getTime() + 1)).length > 0;
}

/**
 * A host was down, or could not report, where it came up only later, where more than one fire of its lines has no start and no line has
 * one, or where it has not reported anything since.
 */
function hostDownAt(at: Date, { starts, missing }: HostFacts): string | undefined {
  const next = firstFrom(starts, ({ startedAt }) => startedAt.getTime() >= at.getTime() + MINUTE);
  const [before, after] = [starts[next - 1], starts[next]];
  if (!before || before.startedAt >= at) return undefined;
  if (after?.bootedAt && after.bootedAt > at) return `the host was down: it came up at ${inUtc(after.bootedAt)}`;
  if (!after) return `the host has reported nothing since ${inUtc(before.startedAt)}`;
  const silent =
    firstFrom(missing, (each) => each >= after.startedAt.getTime()) -
    firstFrom(missing, (each) => each > before.startedAt.getTime());
  if (silent < 2) return undefined;
  return `the host was down, or could not keep reports: no line of it was started from ${inUtc(before.startedAt)} to ${inUtc(after.startedAt)}`;
}

/** The place of the first one of which it is so, where it is so of all behind it: a host that was down for days has ten thousands. */
function firstFrom<Each>(inOrder: readonly Each[], isBehind: (each: Each) => boolean): number {
  let [low, high] = [0, inOrder.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const each = inOrder[middle];
    if (each !== undefined && isBehind(each)) high = middle;
    else low = middle + 1;
  }
  return low;
}
