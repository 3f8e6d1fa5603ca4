import { describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../clock.ts';
import { type PlanQuestion, planOccurrences } from './occurrences.ts';

const at = (text: string) => new Date(`2026-01-01T${text}Z`);

function ask(question: Partial<PlanQuestion> & { everyMs: number }) {
  const next = (after: Date) => new Date((Math.floor(after.getTime() / question.everyMs) + 1) * question.everyMs);
  return planOccurrences({
    next,
    nextRunAt: at('12:00:00'),
    pauses: [],
    now: at('12:00:00'),
    horizonMs: 10 * SECOND,
    ...question,
  });
}

const rows = (plan: ReturnType<typeof ask>) =>
  plan.occurrences.map(
    (row) => `${row.scheduledFor.toISOString().slice(11, 19)} ${row.origin} ${row.state} ${row.occurrences}`,
  );

describe('planning', () => {
  it('plans what is due up to the horizon, and says when to look again', () => {
    const plan = ask({ everyMs: 5 * SECOND });
    expect(rows(plan)).toEqual([
      '12:00:00 schedule planned 1',
      '12:00:05 schedule planned 1',
      '12:00:10 schedule planned 1',
    ]);
    expect(plan.nextRunAt).toEqual(at('12:00:15'));
  });

  it('starts late what is at most a minute late', () => {
    const plan = ask({ everyMs: 60 * MINUTE, nextRunAt: at('11:00:00'), now: at('11:01:00') });
    expect(rows(plan)).toEqual(['11:00:00 schedule planned 1']);
    expect(plan.occurrences[0]?.misfireAt).toEqual(at('11:01:00'));
  });

  it('starts late what is at most half a period late where the schedule is denser than a minute', () => {
    const plan = ask({ everyMs: 30 * SECOND, nextRunAt: at('11:59:00'), now: at('11:59:45'), horizonMs: 0 });
    expect(rows(plan)).toEqual(['11:59:00 schedule missed 1', '11:59:30 schedule planned 1']);
  });

  it('starts late what is late by the threshold of the task', () => {
    const plan = ask({
      everyMs: 60 * MINUTE,
      nextRunAt: at('11:00:00'),
      now: at('11:20:00'),
      misfireThresholdMs: 20 * MINUTE,
    });
    expect(rows(plan)).toEqual(['11:00:00 schedule planned 1']);
  });

  it('is not late before its jitter has passed', () => {
    const delayMs = () => 45 * MINUTE;
    const plan = ask({ everyMs: 60 * MINUTE, nextRunAt: at('11:00:00'), now: at('11:30:00'), delayMs });
    expect(rows(plan)).toEqual(['11:00:00 schedule planned 1']);
    expect(plan.occurrences[0]).toMatchObject({ dueAt: at('11:45:00'), misfireAt: at('11:46:00') });
  });

  it('catches up the newest of what is later, and misses the others as one stretch', () => {
    const plan = ask({ everyMs: 60 * MINUTE, nextRunAt: at('08:00:00'), now: at('11:30:00') });
    expect(rows(plan)).toEqual(['08:00:00 schedule missed 3', '11:00:00 catch_up planned 1']);
    expect(plan.occurrences[0]?.untilAt).toEqual(at('10:00:00'));
    expect(plan.nextRunAt).toEqual(at('12:00:00'));
  });

  it('misses all that is later where a newer one is due anyway', () => {
    const plan = ask({ everyMs: MINUTE, nextRunAt: at('11:55:00'), now: at('12:00:30') });
    expect(rows(plan)).toEqual(['11:55:00 schedule missed 5', '12:00:00 schedule planned 1']);
  });

  it('skips what fell into a pause and leaves what will', () => {
    const pauses = [{ fromAt: at('11:58:00'), untilAt: at('12:00:06'), note: 'deploy' }];
    const plan = ask({ everyMs: 5 * SECOND, nextRunAt: at('11:59:50'), now: at('12:00:01'), pauses });
    expect(rows(plan)).toEqual(['11:59:50 schedule skipped 3']);
    expect(plan.occurrences[0]?.reason).toBe('paused: deploy');
    expect(plan.nextRunAt).toEqual(at('12:00:05'));
  });

  it('goes through a long outage of a dense schedule in bounded steps that lose nothing', () => {
    const now = at('12:00:00');
    let nextRunAt: Date | null = at('09:00:00');
    let missed = 0;
    let planned = 0;
    while (nextRunAt && nextRunAt <= now) {
      const plan = ask({ everyMs: SECOND, nextRunAt, now, horizonMs: 0 });
      for (const row of plan.occurrences) {
        if (row.state === 'missed') missed += row.occurrences;
        else planned += row.occurrences;
      }
      nextRunAt = plan.nextRunAt;
    }
    expect({ missed, planned }).toEqual({ missed: 3 * 3600, planned: 1 });
  });

  it('skips what a calendar excludes, with the reason, ahead as well', () => {
    const excluded = (each: Date) => (each.getTime() % (10 * SECOND) === 0 ? null : 'not on odd fives');
    const plan = ask({ everyMs: 5 * SECOND, excluded });
    expect(rows(plan)).toEqual([
      '12:00:00 schedule planned 1',
      '12:00:05 schedule skipped 1',
      '12:00:10 schedule planned 1',
    ]);
    expect(plan.occurrences[1]?.reason).toBe('not on odd fives');
  });

  it('ends after as many runs as the schedule may still have', () => {
    const plan = ask({ everyMs: 5 * SECOND, remaining: 2 });
    expect(rows(plan)).toEqual(['12:00:00 schedule planned 1', '12:00:05 schedule planned 1']);
    expect(plan.nextRunAt).toBeNull();
    expect(ask({ everyMs: 5 * SECOND, remaining: 0 })).toEqual({ occurrences: [], nextRunAt: null, ended: true });
  });

  it('does not count what never runs among these runs', () => {
    const plan = ask({ everyMs: 60 * MINUTE, nextRunAt: at('08:00:00'), now: at('11:30:00'), remaining: 2 });
    expect(rows(plan)).toEqual(['08:00:00 schedule missed 3', '11:00:00 catch_up planned 1']);
    expect(plan.nextRunAt).toEqual(at('12:00:00'));
  });

  it('counts what is held for a person among these runs', () => {
    const catchUp = { policy: 'ask' } as const;
    const plan = ask({ everyMs: 60 * MINUTE, nextRunAt: at('08:00:00'), now: at('11:30:00'), catchUp, remaining: 2 });
    expect(rows(plan)).toEqual(['08:00:00 catch_up held 1', '09:00:00 catch_up held 1']);
    expect(plan).toMatchObject({ nextRunAt: null, ended: true });
  });

  it('ends with a schedule that has no next occurrence', () => {
    const plan = planOccurrences({
      next: () => null,
      nextRunAt: at('11:00:00'),
      pauses: [],
      now: at('12:00:00'),
      horizonMs: 0,
    });
    expect(rows(plan)).toEqual(['11:00:00 catch_up planned 1']);
    expect(plan.nextRunAt).toBeNull();
  });
});
