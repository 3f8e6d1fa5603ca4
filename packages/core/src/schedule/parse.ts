import { nearestKeyIn } from '../nearest-key.ts';
import { refusals } from '../refusal.ts';
import { type DayOffset, NO_OFFSET } from './cron/day-offset.ts';
import { withoutHash } from './cron/hash.ts';
import { cronTimes } from './cron/local.ts';
import { type CronPattern, cronPattern } from './cron/pattern.ts';
import { readCron } from './cron/read.ts';
import { ScheduleError } from './error.ts';
import { recurrenceTimes } from './rrule/times.ts';
import type { CronSchedule, EverySchedule, RruleSchedule, Schedule } from './schedule.ts';
import { Shared } from './shared.ts';
import { type CronSpec, type EverySpec, type RruleSpec, type ScheduleSpec, scheduleSpec } from './spec.ts';
import { Zone, zoneOf } from './zone.ts';
import type { ZoneRules } from './zone-rules.ts';

export interface ParseOptions {
  /** Spreads `H`: pass the task's name. Default: the empty string. */
  seed?: string;
  /** What somebody wrote down of time zones, by their names. Default: what this process knows of them. */
  zones?: ReadonlyMap<string, ZoneRules>;
}

/** Equal specs share one parsed schedule; a million tasks have far fewer schedules. */
const schedules = new Shared<Schedule>();
/** The same expression in another zone has the same pattern. */
const patterns = new Shared<CronPattern>();

/**
 * Checks a schedule and makes it ready for `nextFire`. Throws `ScheduleError`: code, the part that is
 * wrong, and what is allowed.
 */
export function parseSchedule(spec: ScheduleSpec, { seed = '', zones }: ParseOptions = {}): Schedule {
  const rules = 'timeZone' in spec ? zones?.get(spec.timeZone) : undefined;
  if (rules) return checked(admitSpec(spec), { seed, zoneOf: (name) => new Zone(name, rules) });
  return schedules.get(JSON.stringify(spec) + (hashed(spec, seed) ?? ''), () =>
    checked(admitSpec(spec), { seed, zoneOf }),
  );
}

interface Means {
  seed: string;
  zoneOf: (name: string) => Zone;
}

/** The expression with what H stands for, where there is an H: tasks that it gives the same time share their schedule. */
function hashed(spec: ScheduleSpec, seed: string): string | undefined {
  const has = spec.kind === 'cron' && (spec.dialect ?? 'unix') === 'unix' && /(^|[\s,+])H/i.test(spec.expression);
  return has ? withoutHash(spec.expression, seed) : undefined;
}

function admitSpec(spec: ScheduleSpec): ScheduleSpec {
  const result = scheduleSpec.safeParse(spec);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const refused = refusals(result.error.issues, spec, {
    root: 'the schedule',
    nearestKey: (at, key) => nearestKeyIn(scheduleSpec, at, key),
  });
  throw new ScheduleError('schedule_invalid', `the schedule is not valid: ${refused.join('; ')}`, {
    part: issue?.path.join('.') || 'kind',
    allowed: 'see docs/reference/schedules.md for what a schedule may say',
  });
}

function checked(spec: ScheduleSpec, means: Means): Schedule {
  const bounds = boundsOf(spec);
  switch (spec.kind) {
    case 'cron':
      return { kind: 'cron', spec, ...bounds, ...cronParts(spec, means) };
    case 'every':
      return { kind: 'every', spec, ...bounds, ...everyParts(spec, bounds.startAt) };
    case 'fixed-delay':
      return { kind: 'fixed-delay', spec, ...bounds, delayMs: spec.delayMs };
    case 'rrule':
      return { kind: 'rrule', spec, ...bounds, ...rruleParts(spec, means) };
    case 'once':
      return { kind: 'once', spec, ...bounds, at: Date.parse(spec.at) };
    case 'manual':
      return { kind: 'manual', spec, ...bounds };
  }
}

function boundsOf({ startAt, endAt }: ScheduleSpec): { startAt: number; endAt: number } {
  const bounds = {
    startAt: startAt === undefined ? Number.NEGATIVE_INFINITY : Date.parse(startAt),
    endAt: endAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(endAt),
  };
  if (bounds.endAt >= bounds.startAt) return bounds;
  throw new ScheduleError('schedule_bounds', `endAt ${endAt} is before startAt ${startAt}`, {
    part: `${endAt}`,
    allowed: 'an endAt at or after startAt',
  });
}

function cronParts(spec: CronSpec, { seed, zoneOf }: Means): Pick<CronSchedule, 'pattern' | 'times' | 'expression'> {
  const zone = zoneOf(spec.timeZone);
  const { dialect = 'unix', dayMatch } = spec;
  const offset = dayOffsetOf(spec);
  const expression = hashed(spec, seed) ?? spec.expression;
  const pattern = patterns.get([dialect, dayMatch, expression].join('\n'), () =>
    cronPattern(readCron(expression, dialect), dayMatch),
  );
  // A schedule that follows elapsed time has neither anything to make up for nor anything to leave out.
  const gap = spec.dst?.gap ?? (pattern.interval ? 'skip' : 'next-valid');
  const overlap = spec.dst?.overlap ?? (pattern.interval ? 'both' : 'first');
  return { pattern, times: { local: cronTimes(pattern, offset), zone, gap, overlap }, expression };
}

function dayOffsetOf({ dayOffset, workingDayOffset }: CronSpec): DayOffset {
  if (dayOffset !== undefined && workingDayOffset !== undefined)
    throw new ScheduleError('day_offset', 'both dayOffset and workingDayOffset are given', {
      part: `dayOffset ${dayOffset}, workingDayOffset ${workingDayOffset}`,
      allowed: 'one of them: days of any kind, or days from Monday to Friday',
    });
  if (workingDayOffset !== undefined) return { days: workingDayOffset, working: true };
  return dayOffset === undefined ? NO_OFFSET : { days: dayOffset, working: false };
}

function everyParts(spec: EverySpec, startAt: number): Pick<EverySchedule, 'everyMs' | 'phaseMs' | 'startAt'> {
  const { everyMs, phaseMs = 0, anchor } = spec;
  if (phaseMs >= everyMs)
    throw new ScheduleError('every_phase', `phaseMs ${phaseMs} is not less than everyMs ${everyMs}`, {
      part: String(phaseMs),
      allowed: `0 to ${everyMs - 1}`,
    });
  if (anchor === undefined) return { everyMs, phaseMs, startAt };
  if (spec.phaseMs !== undefined)
    throw new ScheduleError('every_phase', 'both phaseMs and anchor are given', {
      part: `phaseMs ${phaseMs}, anchor ${anchor}`,
      allowed: 'one of them: each says where the grid lies',
    });
  const at = Date.parse(anchor);
  return { everyMs, phaseMs: ((at % everyMs) + everyMs) % everyMs, startAt: Math.max(startAt, at) };
}

function rruleParts(spec: RruleSpec, { zoneOf }: Means): Pick<RruleSchedule, 'recurrence' | 'until' | 'added'> {
  return recurrenceTimes({
    rule: spec.rule,
    start: localSeconds(spec.dtStart),
    excluded: (spec.exDates ?? []).map(localSeconds),
    added: (spec.rDates ?? []).map(localSeconds),
    zone: zoneOf(spec.timeZone),
  });
}

/** Seconds of a local date and time, as if the zone were UTC. */
function localSeconds(text: string): number {
  const at = Date.parse(`${text}Z`);
  // Date.parse takes 31 April for 1 May.
  if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text)) return at / 1000;
  throw new ScheduleError('local_time', `there is no local time "${text}"`, {
    part: text,
    allowed: 'a date and time such as 2026-12-31T09:00:00',
  });
}
