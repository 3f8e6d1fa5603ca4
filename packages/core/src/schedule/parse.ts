import { z } from 'zod';
import { cronPattern } from './cron/pattern.ts';
import { readCron } from './cron/read.ts';
import { ScheduleError } from './error.ts';
import type { CronSchedule, Schedule } from './schedule.ts';
import { type CronSpec, type ScheduleSpec, scheduleSpec } from './spec.ts';
import { zoneOf } from './zone.ts';

export interface ParseOptions {
  /** Spreads `H`: pass the task's name. Default: the empty string. */
  seed?: string;
}

/** Equal specs share one parsed schedule; a million tasks have far fewer schedules. */
const parsed = new Map<string, Schedule>();
const PARSED_MAX = 10_000;

/**
 * Checks a schedule and makes it ready for `nextFire`. Throws `ScheduleError`: code, the part that is
 * wrong, and what is allowed.
 */
export function parseSchedule(spec: ScheduleSpec, { seed = '' }: ParseOptions = {}): Schedule {
  const key = `${seed}\n${JSON.stringify(spec)}`;
  const known = parsed.get(key);
  if (known) return known;
  const schedule = checked(admitSpec(spec), seed);
  if (parsed.size >= PARSED_MAX) parsed.clear();
  parsed.set(key, schedule);
  return schedule;
}

function admitSpec(spec: ScheduleSpec): ScheduleSpec {
  const result = scheduleSpec.safeParse(spec);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') || 'kind';
  throw new ScheduleError('schedule_invalid', `schedule.${path}: ${issue?.message ?? 'invalid'}`, {
    part: path,
    allowed: z.prettifyError(result.error),
  });
}

function checked(spec: ScheduleSpec, seed: string): Schedule {
  const bounds = {
    startAt: instant(spec.startAt, Number.NEGATIVE_INFINITY),
    endAt: instant(spec.endAt, Number.POSITIVE_INFINITY),
  };
  if (bounds.endAt < bounds.startAt)
    throw new ScheduleError('schedule_bounds', `endAt ${spec.endAt} is before startAt ${spec.startAt}`, {
      part: `${spec.endAt}`,
      allowed: 'an endAt at or after startAt',
    });
  switch (spec.kind) {
    case 'cron':
      return { kind: 'cron', spec, ...bounds, ...cronTimes(spec, seed) };
    case 'every':
      return { kind: 'every', spec, ...bounds, everyMs: spec.everyMs, phaseMs: phase(spec.everyMs, spec.phaseMs ?? 0) };
    case 'once':
      return { kind: 'once', spec, ...bounds, at: instant(spec.at, 0) };
    case 'manual':
      return { kind: 'manual', spec, ...bounds };
    default:
      throw new ScheduleError('schedule_kind', `schedules of kind "${spec.kind}" are not supported yet`, {
        part: spec.kind,
        allowed: 'cron, every, once, manual',
      });
  }
}

function instant(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : Date.parse(text);
}

function phase(everyMs: number, phaseMs: number): number {
  if (phaseMs < everyMs) return phaseMs;
  throw new ScheduleError('every_phase', `phaseMs ${phaseMs} is not less than everyMs ${everyMs}`, {
    part: String(phaseMs),
    allowed: `0 to ${everyMs - 1}`,
  });
}

function cronTimes(spec: CronSpec, seed: string): Pick<CronSchedule, 'pattern' | 'zone' | 'gap' | 'overlap' | 'seed'> {
  const zone = zoneOf(spec.timeZone);
  const pattern = cronPattern(readCron(spec.expression, spec.dialect ?? 'unix', seed), spec.dayMatch);
  // A schedule that follows elapsed time has neither anything to make up for nor anything to leave out.
  return {
    pattern,
    zone,
    seed,
    gap: spec.dst?.gap ?? (pattern.interval ? 'skip' : 'next-valid'),
    overlap: spec.dst?.overlap ?? (pattern.interval ? 'both' : 'first'),
  };
}
