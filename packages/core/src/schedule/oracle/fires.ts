import type { CronSpec, EverySpec, RruleSpec, ScheduleSpec } from '../spec.ts';
import type { ZoneRules } from '../zone-rules.ts';
import { dateMatches, fieldsOf, followsElapsedTime, timesIn } from './cron.ts';
import type { Fields } from './field.ts';
import { recurrences } from './rrule.ts';
import { localRange, meaningOf, type Wall } from './wall.ts';

const DAY = 86_400_000;

/**
 * When a schedule fires in (from, to], by brute force: every local time that matches, one by one, and
 * what it means on the zone's clock. Slow, and shares no code with `nextFire`, which it checks: in
 * property tests, and where the ledger is verified. A fixed delay has no fires of its own: they follow the runs.
 * `seed`, `zones`: what `parseSchedule` was given.
 */
export function oracleFires(
  spec: ScheduleSpec,
  from: Date,
  to: Date,
  { seed = '', zones }: { seed?: string; zones?: ReadonlyMap<string, ZoneRules> | undefined } = {},
): Date[] {
  const startAt = spec.startAt === undefined ? Number.NEGATIVE_INFINITY : Date.parse(spec.startAt);
  const endAt = spec.endAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(spec.endAt);
  const found = new Set<number>();
  for (const at of candidates(spec, {
    from: from.getTime(),
    to: to.getTime(),
    seed,
    wallOf: (name) => zones?.get(name) ?? name,
  }))
    if (at > from.getTime() && at <= to.getTime() && at >= startAt && at <= endAt) found.add(at);
  return [...found].sort((a, b) => a - b).map((at) => new Date(at));
}

interface Window {
  from: number;
  to: number;
  seed: string;
  wallOf: (timeZone: string) => Wall;
}

function candidates(spec: ScheduleSpec, window: Window): Iterable<number> {
  switch (spec.kind) {
    case 'cron':
      return cronFires(spec, window);
    case 'every':
      return everyFires(spec, window);
    case 'once':
      return [Date.parse(spec.at)];
    case 'rrule':
      return ruleFires(spec, window);
    case 'fixed-delay':
    case 'manual':
      return [];
  }
}

function* everyFires({ everyMs, phaseMs, anchor }: EverySpec, { from, to }: Window): Iterable<number> {
  const origin = anchor === undefined ? (phaseMs ?? 0) : Date.parse(anchor);
  for (let n = Math.floor((from - origin) / everyMs); n * everyMs + origin <= to; n++)
    if (anchor === undefined || n >= 0) yield n * everyMs + origin;
}

function* ruleFires(spec: RruleSpec, { from, to, wallOf }: Window): Iterable<number> {
  const wall = wallOf(spec.timeZone);
  const { low, high } = localRange(wall, from, to);
  const excluded = new Set((spec.exDates ?? []).map((date) => Date.parse(`${date}Z`)));
  const [, until] = /UNTIL=(\d{8}T\d{6}Z)/i.exec(spec.rule) ?? [];
  const last = until
    ? Date.parse(until.replace(/(....)(..)(..)T(..)(..)(..)Z/i, '$1-$2-$3T$4:$5:$6Z'))
    : Number.POSITIVE_INFINITY;
  // RFC 5545, 3.3.5.
  const meaning = { gap: 'shift', overlap: 'first' } as const;
  for (const local of recurrences(spec, low, high))
    if (local >= low && !excluded.has(local)) for (const at of firesOf(wall, local, meaning)) if (at <= last) yield at;
  for (const date of spec.rDates ?? []) {
    const local = Date.parse(`${date}Z`);
    if (local >= low && local <= high && !excluded.has(local)) yield* firesOf(wall, local, meaning);
  }
}

function* cronFires(spec: CronSpec, { from, to, seed, wallOf }: Window): Iterable<number> {
  const dialect = spec.dialect ?? 'unix';
  const fields = fieldsOf(spec.expression, dialect, seed);
  const elapsed = followsElapsedTime(fields);
  const dst = {
    gap: spec.dst?.gap ?? (elapsed ? 'skip' : 'next-valid'),
    overlap: spec.dst?.overlap ?? (elapsed ? 'both' : 'first'),
  };
  const times = [...timesOfDay(fields)];
  const wall = wallOf(spec.timeZone);
  const { low, high } = localRange(wall, from, to);
  for (let day = Math.floor(low / DAY); day * DAY <= high; day++) {
    const origins = originsOf(spec, day * DAY);
    if (!origins.some((origin) => dateMatches(fields, origin, { dialect, and: spec.dayMatch === 'and' }))) continue;
    for (const time of times) {
      const local = day * DAY + time;
      if (local >= low && local <= high) yield* firesOf(wall, local, dst);
    }
  }
}

/** The dates of the expression from which the offset leads to a date: all as midnights, epoch ms. */
function originsOf({ dayOffset = 0, workingDayOffset: count = 0 }: CronSpec, date: number): number[] {
  if (count === 0) return [date - dayOffset * DAY];
  if (!isWorkingDay(date)) return [];
  // Walks away from the date, past the working days that an origin there would count, up to the one too many.
  const back = count > 0 ? -DAY : DAY;
  const origins: number[] = [];
  let passed = 1;
  for (let at = date + back; passed <= Math.abs(count); at += back) {
    if (passed === Math.abs(count)) origins.push(at);
    if (isWorkingDay(at)) passed++;
  }
  return origins;
}

const isWorkingDay = (midnight: number): boolean => new Date(midnight).getUTCDay() % 6 !== 0;

function* timesOfDay([second, minute, hour]: Fields): Iterable<number> {
  const [seconds, minutes, hours] = [timesIn(second, 'second'), timesIn(minute, 'minute'), timesIn(hour, 'hour')];
  for (const h of hours) for (const m of minutes) for (const s of seconds) yield ((h * 60 + m) * 60 + s) * 1000;
}

type Dst = Required<NonNullable<CronSpec['dst']>>;

function firesOf(
  timeZone: Wall,
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
