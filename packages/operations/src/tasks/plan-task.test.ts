import { SECOND } from '@escapement/core';
import type { DueTask } from '@escapement/store';
import { describe, expect, it } from 'vitest';
import { planTask } from './plan-task.ts';

const NOW = new Date('2026-01-01T12:00:00Z');
const OPTIONS = { horizonMs: 10 * SECOND, repeatable: { fromMs: 0, toMs: 0 } };

function plan(task: Pick<DueTask, 'schedule'> & Partial<DueTask>) {
  const due: DueTask = {
    id: '019b0000-0000-7000-8000-000000000001',
    name: 'task',
    planSeq: 3,
    effectiveAt: new Date('2025-01-01T00:00:00Z'),
    nextRunAt: NOW,
    rules: {},
    plannedRuns: 0,
    keyTemplate: 'task',
    pool: 'default',
    workers: null,
    payload: undefined,
    pauses: [],
    calendars: [],
    begunBefore: 0,
    openBefore: false,
    taken: [],
    handovers: [],
    ...task,
  };
  return planTask(due, NOW, OPTIONS);
}

describe('a fixed delay that is due', () => {
  const schedule = { kind: 'fixed-delay', delayMs: 60_000, endAt: NOW.toISOString() } as const;

  it('at the very end of its schedule runs', () => {
    expect(plan({ schedule })?.rows).toMatchObject([{ scheduledFor: NOW, state: 'planned' }]);
  });

  it('a millisecond after it does not, and the task is over', () => {
    const planned = plan({ schedule, nextRunAt: new Date(NOW.getTime() + 1) });
    expect(planned).toMatchObject({ rows: [], move: { nextRunAt: null } });
  });
});

it('a run that is held for a person counts among those that the schedule may have, one that is missed does not', () => {
  const hourly = { kind: 'every', everyMs: 3600 * SECOND, maxRuns: 9 } as const;
  const misfired = { schedule: hourly, nextRunAt: new Date(NOW.getTime() - 5 * 3600 * SECOND), plannedRuns: 1 };
  const held = plan({ ...misfired, rules: { catchUp: { policy: 'ask', max: 2 } } });
  expect(held?.rows.map(({ state, occurrences }) => `${state} ${occurrences}`)).toEqual([
    'missed 3',
    'held 1',
    'held 1',
    'planned 1',
  ]);
  expect(held?.move.counted).toBe(3);
});

it('a task in the shadow of cron has a row that is skipped for each occurrence, also for those that were late, when it is due and not before', () => {
  const hourly = { kind: 'cron', expression: '0 * * * *', dialect: 'vixie', timeZone: 'UTC' } as const;
  const nextRunAt = new Date(NOW.getTime() - 2 * 3600 * SECOND);
  const planned = plan({ schedule: hourly, nextRunAt, rules: { shadow: { line: '0123456789ab' } } });
  expect(planned?.rows).toMatchObject([
    { state: 'skipped', reason: 'in the shadow of cron', occurrences: 3, scheduledFor: nextRunAt, untilAt: NOW },
  ]);
  expect(planned?.move.nextRunAt).toEqual(new Date(NOW.getTime() + 3600 * SECOND));
  const ahead = { nextRunAt: new Date(NOW.getTime() + SECOND), rules: { shadow: { line: '0123456789ab' } } };
  expect(plan({ schedule: hourly, ...ahead })).toBeUndefined();
});

it('what is due after a cut-over that nobody has answered is held, however late; after one that was taken it is planned ahead', () => {
  const hourly = { kind: 'every', everyMs: 3600 * SECOND } as const;
  const nextRunAt = new Date(NOW.getTime() - 3 * 3600 * SECOND);
  const at = new Date(NOW.getTime() - 1.5 * 3600 * SECOND);
  const rules = { shadow: { line: '0123456789ab' } };
  const of = (isTaken: boolean) =>
    plan({ ...{ schedule: hourly, nextRunAt, rules }, handovers: [{ to: 'fleet', at, isTaken, host: 'web1' }] });
  expect(of(false)?.rows.map(({ state, occurrences }) => `${state} ${occurrences}`)).toEqual([
    'skipped 2',
    'held 1',
    'held 1',
  ]);
  expect(of(true)?.rows.map(({ state, occurrences }) => `${state} ${occurrences}`)).toEqual([
    'skipped 2',
    'missed 1',
    'planned 1',
  ]);
  const ahead = { schedule: hourly, nextRunAt: new Date(NOW.getTime() + SECOND), rules };
  expect(plan({ ...ahead, handovers: [{ to: 'fleet', at, isTaken: false, host: 'web1' }] })).toBeUndefined();
});
