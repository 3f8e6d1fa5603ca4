import { MINUTE, type Random, SECOND, type TaskInput } from '@escapement/core';
import type { CalendarSpec, ScheduleSpec } from '@escapement/core/schedule';

/** The calendars of each history. */
export const CALENDARS = ['closed', 'holidays'] as const;

/** What tasks are labelled by. */
export const TEAMS = ['shop', 'billing'] as const;

const maybe = <Value>(random: Random, share: number, value: () => Value): Value | undefined =>
  random.next() < share ? value() : undefined;

/** A task with whatever policies chance gives it, dense enough that something happens in minutes. */
export function randomTask(name: string, random: Random, now: Date): TaskInput {
  const schedule = randomSchedule(random, now);
  const task: TaskInput = {
    name,
    schedule,
    handler: { type: 'shell', command: 'true' },
    labels: { team: random.pick(TEAMS) },
    overlap: random.pick(['skip', 'skip', 'wait-one', 'wait-all', 'replace', 'allow'] as const),
    catchUp: randomCatchUp(random),
    limit: random.next() < 0.8 ? 1 : 2,
    misfireThresholdMs: maybe(random, 0.3, () => random.pick([500, 5 * SECOND, 90 * SECOND])),
    startDeadlineMs: maybe(random, 0.2, () => random.pick([1 * SECOND, 20 * SECOND])),
    pauseAfterFailures: maybe(random, 0.15, () => random.pick([1, 2])),
    calendars: maybe(random, 0.3, () => randomUse(random, schedule)),
  };
  return Object.fromEntries(Object.entries(task).filter(([, value]) => value !== undefined)) as TaskInput;
}

function randomSchedule(random: Random, now: Date): ScheduleSpec {
  const in_ = (ms: number) => new Date(now.getTime() + ms).toISOString();
  const bounds = {
    ...(random.next() < 0.1 ? { maxRuns: 1 + Math.floor(random.next() * 20) } : {}),
    ...(random.next() < 0.1 ? { endAt: in_(Math.floor(random.next() * 2 * MINUTE)) } : {}),
    ...(random.next() < 0.1 ? { startAt: in_(Math.floor(random.next() * 30 * SECOND)) } : {}),
  };
  const jitter = random.next() < 0.15 ? { jitterMs: 800 } : {};
  const everyMs = random.pick([1, 1, 2, 3, 7, 20, 60]) * SECOND;
  const kinds: (() => ScheduleSpec)[] = [
    () => ({ kind: 'every', everyMs, ...bounds, ...jitter }),
    () => ({ kind: 'every', everyMs, phaseMs: Math.floor(random.next() * everyMs), ...bounds }),
    () => ({
      kind: 'cron',
      expression: random.pick(['* * * * * *', '*/2 * * * * *', '*/5 * * * * *', '7,8,31 * * * * *', '* * * * *']),
      timeZone: random.pick(['UTC', 'Europe/Berlin', 'America/New_York']),
      ...bounds,
      ...jitter,
    }),
    () => ({ kind: 'fixed-delay', delayMs: random.pick([1, 2, 5, 20]) * SECOND, ...bounds }),
    () => ({ kind: 'once', at: in_(Math.floor((random.next() - 0.3) * 2 * MINUTE)) }),
    () => ({ kind: 'manual' }),
  ];
  const weights = [0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 5];
  return (kinds[random.pick(weights)] ?? kinds[0] ?? (() => ({ kind: 'manual' as const })))();
}

function randomCatchUp(random: Random): NonNullable<TaskInput['catchUp']> {
  const withinMs = maybe(random, 0.3, () => random.pick([5 * SECOND, 2 * MINUTE]));
  const within = withinMs === undefined ? {} : { withinMs };
  const stagger = random.next() < 0.2 ? { staggerMs: 3 * SECOND } : {};
  const policy = random.pick(['none', 'latest', 'earliest', 'all', 'ask'] as const);
  if (policy === 'none') return policy;
  if (policy === 'ask') return { policy, ...within, max: 5 };
  if (policy === 'all') return { policy, ...within, ...stagger, max: random.pick([3, 20]) };
  return { policy, ...within, ...stagger };
}

function randomUse(random: Random, { kind }: ScheduleSpec): NonNullable<TaskInput['calendars']> {
  const exclude = random.next() < 0.7 ? [random.pick(CALENDARS)] : [...CALENDARS];
  const shifts = kind === 'cron' && random.next() < 0.2;
  return shifts ? { exclude, shift: random.pick(['next', 'previous'] as const) } : { exclude };
}

/** Hours that begin or end while the history goes on, or whole days; histories go on around a full hour, or midnight. */
export function randomCalendar(random: Random, now: Date): CalendarSpec {
  const timeZone = random.pick(['UTC', 'Europe/Berlin']);
  const at = new Date(now.getTime() + Math.floor((random.next() - 0.5) * 4 * MINUTE));
  const from = at.toISOString().slice(11, 16);
  const to = new Date(at.getTime() + 2 * MINUTE).toISOString().slice(11, 16);
  const day = new Date(now.getTime() + random.pick([0, 1]) * 24 * 60 * MINUTE).toISOString().slice(0, 10);
  const entry = random.pick([{ hours: [`${from}-${to}`] }, { hours: [`${from}-${to}`] }, { dates: [day] }]);
  return { timeZone: 'hours' in entry ? 'UTC' : timeZone, entries: [{ name: 'closed', ...entry }] };
}
