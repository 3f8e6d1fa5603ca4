import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../clock.ts';
import { parseCalendar } from '../schedule/calendar/calendar.ts';
import { occurrencesOf } from '../schedule/calendar/occurrences.ts';
import { parseSchedule } from '../schedule/parse.ts';
import type { ScheduleSpec } from '../schedule/spec.ts';
import { type Forecast, forecast } from './forecast.ts';
import { quietestSlots } from './quietest-slots.ts';
import type { ForecastTask } from './runs-of.ts';

const FROM = new Date('2027-01-04T00:00:00Z');
const TO = new Date('2027-01-05T00:00:00Z');
const cron = (expression: string, timeZone = 'UTC'): ScheduleSpec => ({ kind: 'cron', expression, timeZone });
const minutes = (p50: number, p95 = p50) => ({ p50Ms: p50 * MINUTE, p95Ms: p95 * MINUTE });

function task(name: string, spec: ScheduleSpec, given: Partial<ForecastTask> = {}): ForecastTask {
  const schedule = parseSchedule(spec, { seed: name });
  return {
    ...{ name, schedule, calendars: '', occurrences: () => occurrencesOf(schedule), pauses: [], remaining: undefined },
    ...{
      each: 1,
      pool: 'default',
      key: name,
      limit: 1,
      overlap: { policy: 'skip' as const },
      took: minutes(1),
      nextRunAt: null,
    },
    ...given,
  };
}

function of(tasks: readonly ForecastTask[], { from = FROM, to = TO, capacity = 10 } = {}): Forecast {
  const steps = forecast(tasks, {
    from,
    to,
    pieces: [from.getTime(), from.getTime() + 12 * HOUR],
    capacity: new Map([['default', capacity]]),
  });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

describe('what starts', () => {
  it('is counted for each piece of the time', () => {
    const found = of([task('hourly', cron('0 * * * *')), task('noon', cron('0 12 * * *'))]);
    expect(found).toMatchObject({ tasks: 2, runs: 25, pieces: [{ starts: 12 }, { starts: 13 }] });
    expect(found.pieces.map(({ p50 }) => p50.runs)).toEqual([1, 2]);
    expect(found.pools).toMatchObject([
      { pool: 'default', runs: 25, capacity: 10, p50: { runs: 2, at: Date.UTC(2027, 0, 4, 12) } },
    ]);
  });

  it('by the clock of its zone: a day of 25 hours has an hour twice', () => {
    const vienna = [new Date('2027-10-30T22:00:00Z'), new Date('2027-10-31T23:00:00Z')] as const;
    const found = of([task('each-hour', cron('0 * * * *', 'Europe/Vienna'))], { from: vienna[0], to: vienna[1] });
    expect(found.runs).toBe(25);
  });

  it.each<[string, Partial<ForecastTask>, number, object]>([
    [
      'not in a pause',
      { pauses: [{ fromAt: FROM, untilAt: new Date('2027-01-04T06:00:00Z'), note: null }] },
      18,
      { paused: 6, excluded: 0 },
    ],
    ['no more often than its schedule may', { remaining: 3 }, 3, { paused: 0, excluded: 0 }],
    ['on each worker', { each: 4 }, 96, { paused: 0, excluded: 0 }],
  ])('%s', (_, given, runs, notRun) => {
    expect(of([task('hourly', cron('0 * * * *'), given)])).toMatchObject({ runs, notRun });
  });

  it('not when calendars leave it out', () => {
    const calendar = parseCalendar('closed', { timeZone: 'UTC', entries: [{ dates: ['2027-01-04'] }] });
    const schedule = parseSchedule(cron('0 * * * *'));
    const found = of([
      task('hourly', cron('0 * * * *'), {
        calendars: 'closed',
        occurrences: () => occurrencesOf(schedule, [calendar]),
      }),
    ]);
    expect(found).toMatchObject({ runs: 0, notRun: { excluded: 24 } });
  });

  it('after the end of each run, where it is a delay, as long as half of them take', () => {
    const delay: ScheduleSpec = { kind: 'fixed-delay', delayMs: 50 * MINUTE };
    expect(of([task('delayed', delay, { took: minutes(10, 30), nextRunAt: FROM })]).runs).toBe(24);
    expect(of([task('delayed', delay, { took: null, nextRunAt: FROM })])).toMatchObject({ runs: 0, untimed: 1 });
  });

  it('is counted though it never ran, and kept apart from what is at work', () => {
    const found = of([task('new', cron('0 * * * *'), { took: null }), task('known', cron('0 12 * * *'))]);
    expect(found).toMatchObject({ runs: 25, unmeasured: { tasks: 1, runs: 24, first: ['new'] } });
    expect(found.pieces.map(({ p95 }) => p95.runs)).toEqual([0, 1]);
  });

  it('at no time that is known is counted as that', () => {
    expect(of([task('by-hand', { kind: 'manual' })])).toMatchObject({ tasks: 0, runs: 0, untimed: 1 });
  });

  it('is delayed by its jitter', () => {
    const found = of([task('moved', { ...cron('0 12 * * *'), jitterMs: HOUR })]);
    expect(found.runs).toBe(1);
    expect(found.pools[0]?.p50.at).not.toBe(Date.UTC(2027, 0, 4, 12));
  });
});

describe('what is at work', () => {
  it('began before the time as well', () => {
    const found = of([task('night', cron('0 23 * * *'), { took: minutes(30, 90) })]);
    expect(found.pieces[0]).toMatchObject({ starts: 0, p50: { runs: 0 }, p95: { runs: 1, at: FROM.getTime() } });
    const before = task('before', { kind: 'once', at: '2027-01-03T23:00:00Z' }, { took: minutes(30, 90) });
    expect(of([before])).toMatchObject({ tasks: 0, runs: 0, pieces: [{ p95: { runs: 1 } }, { p95: { runs: 0 } }] });
  });

  it('of a key is judged by its limit and policies', () => {
    const long = { key: 'database', took: minutes(20, 40) };
    const found = of([
      task('a', cron('0 * * * *'), long),
      task('b', cron('30 * * * *'), { ...long, overlap: { policy: 'wait-all' } }),
    ]);
    expect(found.keys).toMatchObject([
      {
        ...{ key: 'database', limit: 1, tasks: ['a', 'b'], runs: 48 },
        p50: { wait: 0, skipped: 0, firstAt: null },
        // The one of half past eleven is at work at midnight.
        p95: { wait: 0, skipped: 24, firstAt: FROM.getTime() },
      },
    ]);
    const inTurn = { ...long, overlap: { policy: 'wait-all' } } as const;
    const waiting = of([task('a', cron('0 * * * *'), inTurn), task('b', cron('50 * * * *'), inTurn)]);
    expect(waiting.keys).toMatchObject([{ p50: { wait: 24, longestWaitMs: 10 * MINUTE, skipped: 0 } }]);
  });

  it('of a task alone meets itself where it takes longer than its period', () => {
    const found = of([
      task('slow', cron('*/10 * * * *'), { took: minutes(5, 15) }),
      task('quick', cron('*/10 * * * *')),
    ]);
    expect(found.keys.map(({ key, p50, p95 }) => [key, p50.skipped, p95.skipped])).toEqual([['slow', 0, 72]]);
    expect(of([task('two', cron('*/10 * * * *'), { took: minutes(5, 15), limit: 2 })]).keys).toEqual([]);
  });

  it('side by side is never busy', () => {
    expect(of([task('allowed', cron('* * * * *'), { took: minutes(5), overlap: { policy: 'allow' } })]).keys).toEqual(
      [],
    );
  });
});

describe('the quietest times of day', () => {
  const busy = [
    task('nightly', cron('0 3 * * *'), { took: minutes(50) }),
    task('quarter', cron('*/15 * * * *'), { took: { p50Ms: SECOND, p95Ms: 2 * SECOND } }),
  ];
  const candidates = Array.from({ length: 120 }, (_, index) => ({
    minute: 180 + index,
    at: [FROM.getTime() + (180 + index) * MINUTE],
  }));

  it('are those at which least is at work, and least starts', () => {
    const slots = quietestSlots(of(busy).load, { candidates, lengthMs: 10 * MINUTE, count: 3 });
    const [after3, after4] = [3 * 60, 4 * 60];
    expect(slots).toEqual(
      [after3 + 50, after4 + 1, after4 + 16].map((minute) => ({ minute, p50: 0, p95: 0, starts: 0 })),
    );
  });

  it('lie no closer together than what is to run takes', () => {
    const slots = quietestSlots(of(busy).load, { candidates, lengthMs: 30 * MINUTE, count: 10 });
    const times = slots.map(({ minute }) => minute).sort((a, b) => a - b);
    for (const [index, minute] of times.entries()) expect(minute - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(30);
    expect(slots.length).toBeGreaterThan(1);
  });
});
