import type { CronSpec, ScheduleSpec } from '../spec.ts';
import { dateMatches, type Fields, fieldsOf, followsElapsedTime, timesIn } from './cron.ts';
import { localRange, meaningOf } from './wall.ts';

const DAY = 86_400_000;

/**
 * When a schedule fires in (from, to], by brute force: every local time that matches, one by one, and
 * what it means on the zone's clock. Slow, and shares no code with `nextFire`, which it checks: in
 * property tests, and in the audit of the ledger.
 */
export function oracleFires(spec: ScheduleSpec, from: Date, to: Date): Date[] {
  const startAt = spec.startAt === undefined ? Number.NEGATIVE_INFINITY : Date.parse(spec.startAt);
  const endAt = spec.endAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(spec.endAt);
  const found = new Set<number>();
  for (const at of candidates(spec, from.getTime(), to.getTime()))
    if (at > from.getTime() && at <= to.getTime() && at >= startAt && at <= endAt) found.add(at);
  return [...found].sort((a, b) => a - b).map((at) => new Date(at));
}

function candidates(spec: ScheduleSpec, from: number, to: number): Iterable<number> {
  switch (spec.kind) {
    case 'cron':
      return cronFires(spec, from, to);
    case 'every':
      return grid(spec.everyMs, spec.phaseMs ?? 0, { from, to });
    case 'once':
      return [Date.parse(spec.at)];
    case 'manual':
      return [];
    default:
      throw new Error(`the oracle does not know schedules of kind ${spec.kind}`);
  }
}

function* grid(everyMs: number, phaseMs: number, { from, to }: { from: number; to: number }): Iterable<number> {
  for (let n = Math.floor(from / everyMs) - 1; n * everyMs + phaseMs <= to; n++) yield n * everyMs + phaseMs;
}

function* cronFires(spec: CronSpec, from: number, to: number): Iterable<number> {
  const dialect = spec.dialect ?? 'unix';
  const fields = fieldsOf(spec.expression, dialect);
  const elapsed = followsElapsedTime(fields);
  const dst = {
    gap: spec.dst?.gap ?? (elapsed ? 'skip' : 'next-valid'),
    overlap: spec.dst?.overlap ?? (elapsed ? 'both' : 'first'),
  };
  const times = [...timesOfDay(fields)];
  const { low, high } = localRange(spec.timeZone, from, to);
  for (let day = Math.floor(low / DAY); day * DAY <= high; day++) {
    if (!dateMatches(fields, day * DAY, { dialect, and: spec.dayMatch === 'and' })) continue;
    for (const time of times) {
      const local = day * DAY + time;
      if (local >= low && local <= high) yield* firesOf(spec.timeZone, local, dst);
    }
  }
}

function* timesOfDay([second, minute, hour]: Fields): Iterable<number> {
  const [seconds, minutes, hours] = [timesIn(second, 'second'), timesIn(minute, 'minute'), timesIn(hour, 'hour')];
  for (const h of hours) for (const m of minutes) for (const s of seconds) yield ((h * 60 + m) * 60 + s) * 1000;
}

type Dst = Required<NonNullable<CronSpec['dst']>>;

function firesOf(
  timeZone: string,
  local: number,
  { gap, overlap }: { [rule in keyof Dst]: NonNullable<Dst[rule]> },
): readonly number[] {
  const meaning = meaningOf(timeZone, local);
  if ('instants' in meaning) {
    const { instants } = meaning;
    if (overlap === 'both') return instants;
    return overlap === 'first' ? instants.slice(0, 1) : instants.slice(-1);
  }
  if (gap === 'skip') return [];
  return [gap === 'next-valid' ? meaning.gapEnd : local - meaning.offsetBefore];
}
