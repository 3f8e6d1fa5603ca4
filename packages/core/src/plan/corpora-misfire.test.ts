import { describe, expect, it } from 'vitest';
import { counts, type Exclusion, type MisfireRow, misfires, split } from '../../test/corpora/load.ts';
import { HOUR, MINUTE, SECOND } from '../clock.ts';
import { nextFire } from '../schedule/next-fire.ts';
import { parseSchedule } from '../schedule/parse.ts';
import type { ScheduleSpec } from '../schedule/spec.ts';
import type { CatchUpPolicy } from './catch-up-policy.ts';
import { type Plan, type PlanQuestion, planOccurrences } from './occurrences.ts';

const named = (...policies: string[]) => ({
  applies: ({ policy }: MisfireRow) => policies.some((each) => policy.includes(each)),
});
const from = (system: string) => (row: MisfireRow) => row.system === system;

const EXCLUSIONS: readonly Exclusion<MisfireRow>[] = [
  {
    reason: 'Quartz begins the grid or its count anew; here the grid never moves',
    applies: ({ policy }) => policy.includes('RESCHEDULE_NOW') && !policy.includes('end time passed'),
  },
  {
    reason: 'the schedule of Quartz is done with its only fire; ours has five that misfired',
    ...named('FIRE_NOW, repeatCount=0'),
  },
  { reason: 'says what a name stands for in Quartz', ...named('SMART_POLICY') },
  { reason: 'a backfill, not a misfire', ...named('backfill') },
  {
    reason: 'Kubernetes gives up beyond 100 missed; here a stretch of any length is one row, and the policy decides',
    applies: (row) => from('kubernetes')(row) && ['error', 'reason'].some((key) => key in row.expect),
  },
  { reason: 'an overlap, not a misfire', ...named('concurrencyPolicy') },
  { reason: 'a change of the clock: the schedule decides, see next-fire.test.ts', applies: from('cronie') },
];

const { tests, excluded } = split(misfires, EXCLUSIONS);

type Asked = Omit<Partial<PlanQuestion>, 'now'> & { spec: ScheduleSpec; after: string; now: string };

function plan({ spec, after, now, ...question }: Asked): Plan {
  const schedule = parseSchedule(spec);
  const next = (instant: Date) => nextFire(schedule, instant);
  const nextRunAt = next(new Date(after));
  if (!nextRunAt) throw new Error('the row has no fire');
  return planOccurrences({ next, nextRunAt, now: new Date(now), pauses: [], horizonMs: 0, ...question });
}

const time = (at: Date | null | undefined) => at?.toISOString().replace('.000Z', 'Z') ?? null;
const run = ({ occurrences }: Plan) => occurrences.filter(({ state }) => state === 'planned');
const missed = ({ occurrences }: Plan) =>
  occurrences.filter(({ state }) => state === 'missed').reduce((sum, row) => sum + row.occurrences, 0);

/** Quartz' cron triggers: an outage, and what starts when it ends and after it. */
function quartzCron(row: MisfireRow, catchUp: CatchUpPolicy): void {
  const { cron, tz, down } = row.given as { cron: string; tz: string; down: [string, string] };
  const { starts, dropped } = row.expect as { starts: string[]; dropped?: number };
  const spec = { kind: 'cron', expression: cron, dialect: 'quartz', timeZone: tz } as const;
  const found = plan({ spec, after: down[0], now: down[1], catchUp });
  const atOnce = run(found).map(() => down[1]);
  // The row lists what starts at the end of the outage, and some of them the next fire too.
  expect([...atOnce, time(found.nextRunAt)].slice(0, starts.length)).toEqual(starts.map((at) => time(new Date(at))));
  if (dropped !== undefined) expect(missed(found)).toBe(dropped);
}

/** Quartz' simple triggers: every hour from midnight, the last fire at 00:00, now 05:20. */
function quartzSimple(catchUp: CatchUpPolicy): Plan {
  const spec = { kind: 'every', everyMs: HOUR } as const;
  return plan({ spec, after: '2026-01-01T00:00:00Z', now: '2026-01-01T05:20:00Z', catchUp, remaining: 10 });
}

function unmetTimes({ given, expect: expected }: MisfireRow): void {
  const { T1, T2, lastSchedule } = given as { T1: string; T2: string; lastSchedule?: string };
  const instant = (text: string) => {
    const [, name, sign, count, unit] = /^(T[12])(?:([+-])(\d+)([smh]))?$/.exec(text) ?? [];
    const ms = Number(count ?? 0) * { s: SECOND, m: MINUTE, h: HOUR }[(unit as 's' | 'm' | 'h' | undefined) ?? 's'];
    return new Date(Date.parse(name === 'T1' ? T1 : T2) + (sign === '-' ? -ms : ms)).toISOString();
  };
  const spec = { kind: 'cron', expression: '0 * * * *', timeZone: 'UTC' } as const;
  const after = instant(lastSchedule ?? String(given.created));
  const found = plan({ spec, after, now: instant(String(given.now)) });
  expect(run(found).map(({ scheduledFor }) => time(scheduledFor))).toEqual(
    (expected.unmet as string[]).map((text) => time(new Date(instant(text)))),
  );
}

function expectAs(row: MisfireRow): void {
  const { policy } = row;
  if (policy.includes('FIRE_ONCE_NOW')) return quartzCron(row, { policy: 'latest' });
  if (policy.includes('DO_NOTHING')) return quartzCron(row, { policy: 'none' });
  if (policy.includes('within threshold')) return quartzCron(row, { policy: 'none' });
  if (policy.includes('RESCHEDULE_NEXT_WITH_EXISTING_COUNT')) {
    const found = quartzSimple({ policy: 'none' });
    expect([run(found).length, missed(found), time(found.nextRunAt)]).toEqual([0, 5, '2026-01-01T06:00:00Z']);
    return;
  }
  if (policy.includes('IGNORE_MISFIRE_POLICY')) {
    expect(run(quartzSimple({ policy: 'all' })).map(({ scheduledFor }) => scheduledFor.getUTCHours())).toEqual([
      1, 2, 3, 4, 5,
    ]);
    return;
  }
  if (policy.includes('end time passed')) {
    const spec = { kind: 'every', everyMs: 10 * MINUTE, endAt: '2005-07-05T10:00:00Z' } as const;
    const found = plan({
      spec,
      after: '2005-07-05T08:59:00Z',
      now: '2005-07-05T12:00:00Z',
      catchUp: { policy: 'none' },
    });
    expect([run(found), found.nextRunAt]).toEqual([[], null]);
    return;
  }
  if (policy.includes('paused during outage')) return pausedOutage(row);
  if (policy.includes('limited actions')) {
    const spec = { kind: 'every', everyMs: 3 * MINUTE } as const;
    const found = plan({
      spec,
      after: '2026-01-01T00:00:00Z',
      now: '2026-01-01T00:00:01Z',
      horizonMs: HOUR,
      remaining: 2,
    });
    expect([run(found).map(({ scheduledFor }) => time(scheduledFor)?.slice(11, 16)), found.nextRunAt]).toEqual([
      row.expect.scheduledRun,
      null,
    ]);
    return;
  }
  if (policy.includes('unmet schedule times')) return unmetTimes(row);
  if (policy.includes('coalesce')) return coalesced(row);
  if (policy.includes('misfire_grace_time')) {
    const spec = { kind: 'once', at: '2026-01-01T12:00:00Z' } as const;
    const asked = {
      spec,
      after: '2026-01-01T00:00:00Z',
      misfireThresholdMs: 10 * MINUTE,
      catchUp: { policy: 'none' } as const,
    };
    expect(run(plan({ ...asked, now: '2026-01-01T12:10:00Z' }))).toHaveLength(1);
    expect(missed(plan({ ...asked, now: '2026-01-01T12:10:01Z' }))).toBe(1);
    return;
  }
  throw new Error(`no test for ${row.id} ${policy}`);
}

function pausedOutage({ given, expect: expected }: MisfireRow): void {
  const { lastProcessed, unpausedAt } = given as { lastProcessed: string; unpausedAt: string };
  const spec = { kind: 'cron', expression: '17 * * * *', timeZone: 'UTC' } as const;
  const pauses = [{ fromAt: new Date(lastProcessed), untilAt: new Date(unpausedAt), note: null }];
  const found = plan({ spec, after: lastProcessed, now: unpausedAt, pauses });
  const [first] = expected.starts as { scheduled: string }[];
  expect([run(found).length, missed(found)]).toEqual([0, expected.missedCatchupWindow]);
  expect(time(found.nextRunAt)).toBe(first?.scheduled);
}

/** APScheduler has no threshold: whatever has passed is coalesced. */
function coalesced({ policy, expect: expected }: MisfireRow): void {
  const spec = { kind: 'every', everyMs: MINUTE, phaseMs: 55 * SECOND } as const;
  const name = policy.split('=')[1] ?? '';
  const catchUp = { policy: name as 'latest' | 'earliest' | 'all' };
  const now = '2026-01-01T12:03:00Z';
  const found = run(plan({ spec, after: '2026-01-01T11:59:00Z', now, catchUp, misfireThresholdMs: SECOND }));
  const first = name === 'latest' ? -5 * SECOND : -(3 * MINUTE + 5 * SECOND);
  expect(found).toHaveLength(expected.jobs as number);
  expect(found[0]?.scheduledFor).toEqual(new Date(Date.parse(now) + first));
}

describe('misfires as Quartz, Temporal, Kubernetes and APScheduler have them', () => {
  it.each(tests.map((row) => [row.id, row.system, row.policy, row] as const))('%s %s %s', (...[, , , row]) =>
    expectAs(row),
  );

  it('are all tests, but for those with a reason', () => {
    expect(tests.length + excluded.length).toBe(misfires.length);
    expect(counts(excluded)).toEqual({
      'Quartz begins the grid or its count anew; here the grid never moves': 1,
      'the schedule of Quartz is done with its only fire; ours has five that misfired': 1,
      'says what a name stands for in Quartz': 1,
      'a backfill, not a misfire': 1,
      'Kubernetes gives up beyond 100 missed; here a stretch of any length is one row, and the policy decides': 2,
      'an overlap, not a misfire': 1,
      'a change of the clock: the schedule decides, see next-fire.test.ts': 2,
    });
  });
});
