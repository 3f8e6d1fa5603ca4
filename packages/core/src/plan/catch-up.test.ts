import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../clock.ts';
import { nextFire } from '../schedule/next-fire.ts';
import { parseSchedule } from '../schedule/parse.ts';
import type { ScheduleSpec } from '../schedule/spec.ts';
import type { CatchUpPolicy } from './catch-up-policy.ts';
import { catchUpPolicy } from './catch-up-policy.ts';
import { type PlanQuestion, planOccurrences } from './occurrences.ts';

const at = (text: string) => new Date(text.includes('-') ? `${text}Z` : `2026-01-01T${text}Z`);

type Asked = Partial<PlanQuestion> & { nextRunAt: Date; now: Date };

/** Each row as `15:00 missed` with the reason's last part, stretches as `15:00..16:00 missed x2`. */
function plan(spec: ScheduleSpec, question: Asked): string[] {
  const schedule = parseSchedule(spec);
  const { occurrences } = planOccurrences({
    next: (after) => nextFire(schedule, after),
    pauses: [],
    horizonMs: 0,
    ...question,
  });
  return occurrences.map(({ scheduledFor, untilAt, occurrences: count, state, origin }) => {
    const until = untilAt ? `..${clock(untilAt)} x${count}` : '';
    return `${clock(scheduledFor)}${until} ${origin === 'catch_up' ? 'caught up, ' : ''}${state}`;
  });
}

const clock = (instant: Date) => instant.toISOString().slice(11, 19);
const cron = (expression: string): ScheduleSpec => ({ kind: 'cron', expression, timeZone: 'UTC' });

describe('created at 12:05 to run once at 12:00', () => {
  it.each<CatchUpPolicy | undefined>([undefined, { policy: 'none' }, { policy: 'latest' }])(
    'fires now: %o',
    (catchUp) => {
      const created = at('12:05:00');
      const spec = { kind: 'once', at: '2026-01-01T12:00:00Z' } as const;
      const question = { nextRunAt: at('12:00:00'), now: created, effectiveAt: created, catchUp };
      expect(plan(spec, question)).toEqual(['12:00:00 planned']);
    },
  );

  it('is a misfire if no scheduler was there for a minute after', () => {
    const spec = { kind: 'once', at: '2026-01-01T12:00:00Z' } as const;
    const question = { nextRunAt: at('12:00:00'), now: at('12:07:00'), effectiveAt: at('12:05:00') };
    expect(plan(spec, question)).toEqual(['12:00:00 caught up, planned']);
    expect(plan(spec, { ...question, catchUp: { policy: 'none' } })).toEqual(['12:00:00 missed']);
  });
});

describe('hourly from 15:00 to 17:00, nothing fired, now 16:10', () => {
  const question = { nextRunAt: at('15:00:00'), now: at('16:10:00') };
  const hourly = cron('0 15-17 * * *');

  it.each<[string, CatchUpPolicy | undefined, string[]]>([
    ['by default the newest runs', undefined, ['15:00:00 missed', '16:00:00 caught up, planned']],
    ['none', { policy: 'none' }, ['15:00:00..16:00:00 x2 missed']],
    ['latest', { policy: 'latest' }, ['15:00:00 missed', '16:00:00 caught up, planned']],
    ['latest within 5 min', { policy: 'latest', withinMs: 5 * MINUTE }, ['15:00:00..16:00:00 x2 missed']],
    ['earliest', { policy: 'earliest' }, ['15:00:00 caught up, planned', '16:00:00 missed']],
    [
      'earliest within an hour',
      { policy: 'earliest', withinMs: HOUR },
      ['15:00:00 missed', '16:00:00 caught up, planned'],
    ],
    ['all', { policy: 'all' }, ['15:00:00 caught up, planned', '16:00:00 caught up, planned']],
    ['all, one at most', { policy: 'all', max: 1 }, ['15:00:00 missed', '16:00:00 caught up, planned']],
    ['all within an hour', { policy: 'all', withinMs: HOUR }, ['15:00:00 missed', '16:00:00 caught up, planned']],
    ['ask', { policy: 'ask' }, ['15:00:00 caught up, held', '16:00:00 caught up, held']],
  ])('%s', (_, catchUp, rows) => {
    expect(plan(hourly, { ...question, catchUp })).toEqual(rows);
  });

  it('goes on with 17:00', () => {
    const schedule = parseSchedule(hourly);
    const next = (after: Date) => nextFire(schedule, after);
    expect(planOccurrences({ next, pauses: [], horizonMs: 0, ...question }).nextRunAt).toEqual(at('17:00:00'));
  });
});

describe('every 5 s, the scheduler gone for 30 s', () => {
  const every = { kind: 'every', everyMs: 5 * SECOND } as const;
  const question = { nextRunAt: at('12:00:05'), now: at('12:00:33') };

  it('six misfired runs are not fired in a burst', () => {
    expect(plan(every, question)).toEqual(['12:00:05..12:00:25 x5 missed', '12:00:30 caught up, planned']);
    expect(plan(every, { ...question, now: at('12:00:31') })).toEqual([
      '12:00:05..12:00:25 x5 missed',
      '12:00:30 planned',
    ]);
  });

  it('unless all was asked for: then each waits its turn, the one that is on time as well', () => {
    const { occurrences } = planOccurrences({
      next: (after) => new Date(after.getTime() + 5 * SECOND),
      pauses: [],
      horizonMs: 5 * SECOND,
      ...question,
      now: at('12:00:31'),
      catchUp: { policy: 'all' },
    });
    expect(occurrences.map(({ origin, inTurn }) => [origin, inTurn])).toEqual([
      ...Array.from({ length: 5 }, () => ['catch_up', true]),
      ['schedule', true],
      ['schedule', false],
    ]);
  });

  it('where nothing has misfired, one that is due waits for no turn', () => {
    const { occurrences } = planOccurrences({
      next: (after) => new Date(after.getTime() + 5 * SECOND),
      pauses: [],
      horizonMs: 0,
      nextRunAt: at('12:00:30'),
      now: at('12:00:31'),
      catchUp: { policy: 'all' },
    });
    expect(occurrences.map(({ origin, inTurn }) => [origin, inTurn])).toEqual([['schedule', false]]);
  });
});

describe('catching up', () => {
  it('lets a nightly backup survive an outage of two hours, and not of more than a day', () => {
    const nightly = cron('0 3 * * *');
    expect(plan(nightly, { nextRunAt: at('03:00:00'), now: at('05:00:00') })).toEqual(['03:00:00 caught up, planned']);
    const weekly = cron('0 3 1 * *');
    expect(plan(weekly, { nextRunAt: at('03:00:00'), now: at('2026-01-02T04:00:00') })).toEqual(['03:00:00 missed']);
  });

  it('says why each occurrence was missed', () => {
    const reasons = (catchUp: CatchUpPolicy, everyMs = HOUR) =>
      planOccurrences({
        next: (after) => new Date(after.getTime() + everyMs),
        nextRunAt: at('03:00:00'),
        now: at('05:10:00'),
        pauses: [],
        horizonMs: 0,
        catchUp,
      }).occurrences.map(({ reason }) => reason);
    const late = 'no scheduler planned it within 1 min';
    expect(reasons({ policy: 'none' })).toEqual([`${late}; the task does not catch up`]);
    expect(reasons({ policy: 'latest' })).toEqual([`${late}; a newer occurrence runs instead`, null]);
    expect(reasons({ policy: 'latest', withinMs: 5 * MINUTE })).toEqual([
      `${late}; the task catches up within 5 min only`,
    ]);
    expect(reasons({ policy: 'earliest' })).toEqual([null, `${late}; the earliest misfired one runs instead`]);
    expect(reasons({ policy: 'all', max: 1 })).toEqual([`${late}; the task catches up 1 at most, the newest`, null]);
    expect(reasons({ policy: 'ask' })).toEqual(
      Array.from({ length: 3 }, () => `${late}; held until somebody says what becomes of it`),
    );
  });

  it('says which server was away', () => {
    const asked: string[] = [];
    const [row] = planOccurrences({
      next: (after) => new Date(after.getTime() + HOUR),
      nextRunAt: at('03:00:00'),
      now: at('03:10:00'),
      pauses: [],
      horizonMs: 0,
      catchUp: { policy: 'none' },
      away(from, until) {
        asked.push(`${clock(from)} ${clock(until)}`);
        return 'Postgres was away';
      },
    }).occurrences;
    expect(row?.reason).toBe('Postgres was away, and no scheduler planned it within 1 min; the task does not catch up');
    expect(asked).toEqual(['03:00:00 03:01:00']);
  });

  it('spreads what it starts over the time that the task says, from a point of its own', () => {
    const { occurrences } = planOccurrences({
      next: (after) => new Date(after.getTime() + HOUR),
      nextRunAt: at('02:00:00'),
      now: at('05:10:00'),
      pauses: [],
      horizonMs: 0,
      share: 0.5,
      catchUp: { policy: 'all', staggerMs: 40 * MINUTE },
    });
    expect(occurrences.map(({ dueAt }) => clock(dueAt))).toEqual(['05:15:00', '05:25:00', '05:35:00', '05:45:00']);
  });

  it('leaves them due when they were, so all at once, where the task says no time', () => {
    const { occurrences } = planOccurrences({
      next: (after) => new Date(after.getTime() + HOUR),
      nextRunAt: at('04:00:00'),
      now: at('05:10:00'),
      pauses: [],
      horizonMs: 0,
      share: 0.5,
      catchUp: { policy: 'all', staggerMs: undefined },
    });
    expect(occurrences.map(({ dueAt }) => clock(dueAt))).toEqual(['04:00:00', '05:00:00']);
  });

  it('does not catch up an earliest one again in the next pass of the same outage', () => {
    const question = { nextRunAt: at('03:00:00'), now: at('05:10:00'), catchUp: { policy: 'earliest' } as const };
    expect(plan(cron('0 * * * *'), { ...question, begunBefore: 1 })).toEqual(['03:00:00..05:00:00 x3 missed']);
  });

  it('takes the newest of an outage longer than one pass, and as many as all may have', () => {
    const start = at('2026-01-01T00:00:00');
    const now = at('2026-01-01T02:00:00');
    const count = (catchUp: CatchUpPolicy) => {
      let nextRunAt: Date | null = start;
      const caughtUp: Date[] = [];
      while (nextRunAt && nextRunAt <= now) {
        const schedule = parseSchedule({ kind: 'every', everyMs: SECOND });
        const next = (after: Date) => nextFire(schedule, after);
        const { occurrences, nextRunAt: rest } = planOccurrences({
          next,
          nextRunAt,
          now,
          pauses: [],
          horizonMs: 0,
          catchUp,
        });
        caughtUp.push(...occurrences.filter(({ state }) => state === 'planned').map((row) => row.scheduledFor));
        nextRunAt = rest;
      }
      return caughtUp;
    };
    expect(count({ policy: 'latest' })).toEqual([now]);
    // 7,200 misfired: the first pass looks at 5,000 of them.
    const most = count({ policy: 'all', max: 3000 });
    expect(most).toHaveLength(3001);
    expect(most[0]).toEqual(new Date(now.getTime() - 3000 * SECOND));
  });

  it.each([
    [{ policy: 'none', max: 3 }],
    [{ policy: 'latest', max: 3 }],
    [{ policy: 'ask', staggerMs: 3 }],
    ['sometimes'],
    [{ policy: 'all', within: DAY }],
  ])('refuses a policy that says what it cannot mean: %o', (policy) => {
    expect(catchUpPolicy.safeParse(policy).success).toBe(false);
  });

  it('is written as a name where it has no options', () => {
    expect(catchUpPolicy.parse('all')).toEqual({ policy: 'all' });
  });
});
