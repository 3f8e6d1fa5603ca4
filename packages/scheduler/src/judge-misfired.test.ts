import { planOccurrences } from '@escapement/core/plan';
import { parseSchedule } from '@escapement/core/schedule';
import { taskOccurrences } from '@escapement/operations';
import type { MisfiredTask } from '@escapement/store';
import { expect, test } from 'vitest';
import { judgeMisfired } from './judge-misfired.ts';

const CALENDARS = [{ name: 'closed', definition: { timeZone: 'UTC', entries: [{ dates: ['2026-03-04'] }] } }];
const SCHEDULE = { kind: 'cron', expression: '0 * * * *', timeZone: 'UTC' } as const;
const LAST_BEFORE = new Date('2026-03-03T23:00:00Z');
const NOW = new Date('2026-03-04T03:00:00Z');

function taskWith(rules: MisfiredTask['rules']): MisfiredTask {
  const run = {
    id: 'r',
    scheduledFor: LAST_BEFORE,
    dueAt: LAST_BEFORE,
    dispatch: 1,
    state: 'queued',
    judged: null,
    refused: true,
  } as const;
  const none = {
    pool: 'default',
    poolPauseNote: null,
    worker: null,
    workerAway: null,
    newerIsDue: false,
    newerMisfired: 0,
    begunBefore: 0,
    effectiveAt: LAST_BEFORE,
    unplannedFrom: null,
  };
  return { id: 't', name: 't', schedule: SCHEDULE, rules, runs: [run], calendars: CALENDARS, ...none };
}

/** What the planner says of the same occurrence, if no scheduler had made its row. */
function plannedState(rules: MisfiredTask['rules']): string | undefined {
  const { next, excluded } = taskOccurrences(parseSchedule(SCHEDULE, { seed: 't' }), rules.calendars, CALENDARS);
  const plan = planOccurrences({
    next,
    excluded,
    nextRunAt: LAST_BEFORE,
    pauses: [],
    now: NOW,
    horizonMs: 0,
    ...rules,
  });
  return plan.occurrences[0]?.state;
}

test('a misfire is judged by the calendars of its task, as the planner judges what has no row yet', () => {
  // Moved off the closed day, the next occurrence is a day later: until then the last one is worth catching up.
  const moved = { calendars: { exclude: ['closed'], shift: 'next' } } as const;
  const rules = { ...moved, calendars: { ...moved.calendars, exclude: [...moved.calendars.exclude] } };
  expect(plannedState(rules)).toBe('planned');
  expect(judgeMisfired(taskWith(rules), NOW).map(({ verdict }) => verdict.to)).toEqual(['run']);
});

test('what fell due while its pool was paused says so', () => {
  const [judged] = judgeMisfired({ ...taskWith({}), pool: 'db1', poolPauseNote: 'new disks' }, NOW);
  expect(judged?.verdict).toMatchObject({
    to: 'missed',
    reason: expect.stringContaining('the pool "db1" is paused: new disks, and nobody started it within 1 min'),
  });
});

test('what fell due while a server was away says so', () => {
  const [judged] = judgeMisfired(taskWith({}), NOW, () => 'Redis was away');
  expect(judged?.verdict).toMatchObject({
    to: 'missed',
    reason: expect.stringMatching(/^Redis was away, and no worker started it within 1 min; /),
  });
});

test('without calendars it is worth an hour', () => {
  expect(plannedState({})).toBe('missed');
  expect(judgeMisfired(taskWith({}), NOW).map(({ verdict }) => verdict.to)).toEqual(['missed']);
});
