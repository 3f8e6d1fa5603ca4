import { MINUTE } from '@escapement/core';

/** A line as Debian's cron reads it (entry.c). */
interface Entry {
  fields: readonly ReadonlySet<number>[];
  /** Goes by the wildcard rules when the clock changes. */
  wild: boolean;
  anyDate: boolean;
  anyWeekday: boolean;
}

const RANGES = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;
const WORDS = [
  ...Array.from({ length: 3 }, () => [] as string[]),
  'jan feb mar apr may jun jul aug sep oct nov dec'.split(' '),
  'sun mon tue wed thu fri sat'.split(' '),
];
const MACROS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const SMALL_STEP = 5;
const LARGE_STEP = 180;

/**
 * When Debian's cron (3.0pl1) starts a line: its main loop (cron.c), minute by minute, written down again from the rules of cron(8), and
 * none of our own schedules in it. `offsetMs`: what the clock of the host is ahead of UTC. `from` is a full minute.
 */
export function debianCronStarts(
  schedule: string,
  { from, to, offsetMs }: { from: Date; to: Date; offsetMs: (at: Date) => number },
): Date[] {
  const entry = read(MACROS[schedule] ?? schedule);
  const local = (at: number) => Math.floor((at + offsetMs(new Date(at))) / MINUTE);
  const starts: Date[] = [];
  let virtual = local(from.getTime()) - 1;
  for (let at = from.getTime(); at <= to.getTime(); at += MINUTE) {
    const now = local(at);
    const step = now - virtual;
    const run = (minute: number, kinds: { wild: boolean; fixed: boolean }) => {
      if (entry.wild ? kinds.wild : kinds.fixed) if (matches(entry, minute)) starts.push(new Date(at));
    };
    if (step > 0 && step <= SMALL_STEP) while (virtual < now) run(++virtual, { wild: true, fixed: true });
    else if (step > SMALL_STEP && step <= LARGE_STEP) {
      run(now, { wild: true, fixed: false });
      while (virtual < now) run(++virtual, { wild: false, fixed: true });
    } else if (step <= 0 && step > -LARGE_STEP) run(now, { wild: true, fixed: false });
    else {
      virtual = now;
      run(now, { wild: true, fixed: true });
    }
  }
  return starts;
}

function read(schedule: string): Entry {
  const texts = schedule.toLowerCase().split(/\s+/);
  const stars = texts.map((text) => text.startsWith('*'));
  const fields = texts.map((text, index) => new Set(text.split(',').flatMap((member) => valuesOf(member, index))));
  if (fields[4]?.has(7)) fields[4].add(0);
  const [minute, hour, date, , weekday] = stars;
  return { fields, wild: (minute || hour) ?? false, anyDate: date ?? false, anyWeekday: weekday ?? false };
}

function valuesOf(member: string, index: number): number[] {
  const [range = '', step = '1'] = member.split('/');
  const [min = 0, max = 0] = RANGES[index] ?? [];
  const number = (text: string) => {
    const word = WORDS[index]?.indexOf(text) ?? -1;
    return word < 0 ? Number(text) : word + min;
  };
  const [low = '', high] = range.split('-');
  const from = range === '*' ? min : number(low);
  const to = range === '*' ? max : high === undefined ? (member.includes('/') ? max : from) : number(high);
  return Array.from({ length: Math.floor((to - from) / Number(step)) + 1 }, (_, each) => from + each * Number(step));
}

function matches({ fields, anyDate, anyWeekday }: Entry, minute: number): boolean {
  const time = new Date(minute * MINUTE);
  const values = [
    time.getUTCMinutes(),
    time.getUTCHours(),
    time.getUTCDate(),
    time.getUTCMonth() + 1,
    time.getUTCDay(),
  ];
  const [isMinute, isHour, isDate, isMonth, isWeekday] = values.map(
    (value, index) => fields[index]?.has(value) ?? false,
  );
  const isDay = anyDate || anyWeekday ? isDate && isWeekday : isDate || isWeekday;
  return Boolean(isMinute && isHour && isMonth && isDay);
}
