import { expect, test } from 'vitest';
import { LIFECYCLE_EVENTS } from './follower-fields.ts';
import { followersOfFinish, followersOfStart, isNoted } from './followers-of-run.ts';
import { lostReason } from './restored.ts';
import { type FinishedRun, recordOf } from './run-record.ts';
import { RUN_STATES, type RunState, TERMINAL_STATES } from './run-state.ts';

const everything = {
  then: [
    { task: 's', when: 'success' as const },
    { task: 'f', when: 'failure' as const },
    { task: 'a', when: 'always' as const },
  ],
  ...Object.fromEntries(LIFECYCLE_EVENTS.map((event) => [event, event])),
};

const run = (given: Partial<FinishedRun>): FinishedRun => ({
  id: 'r1',
  task: 't',
  state: 'succeeded',
  reason: null,
  attempt: 1,
  origin: 'schedule',
  key: 't',
  scheduledFor: new Date(0),
  dueAt: new Date(0),
  startedAt: new Date(5000),
  finishedAt: new Date(6000),
  exitCode: null,
  occurrences: 1,
  output: undefined,
  payload: undefined,
  error: null,
  depth: 0,
  traceparent: null,
  ...given,
});

const after = (state: RunState, attempt = 1) =>
  followersOfFinish(everything, run({ state, attempt })).followers.map(({ task }) => task);

test('what follows an end depends on how it was', () => {
  expect(after('succeeded')).toEqual(['onSuccess', 'onFinish', 's', 'a']);
  for (const state of ['failed', 'timed_out', 'quarantined'] as const)
    expect(after(state)).toEqual(['onFailure', 'onFinish', 'f', 'a']);
  expect(after('cancelled')).toEqual(['onFinish', 'a']);
  expect(after('cancelled', 0)).toEqual([]);
  expect(after('skipped')).toEqual(['onFinish', 'onSkip', 'a']);
  expect(after('skipped', 0)).toEqual(['onSkip']);
  expect(after('missed', 0)).toEqual(['onMisfire']);
});

test('nothing follows an occurrence that was lost with the database', () => {
  const reason = lostReason({ copyAt: new Date(0), untilAt: new Date(1000) });
  expect(followersOfFinish(everything, run({ state: 'skipped', attempt: 0, reason }))).toEqual({
    followers: [],
    problems: [],
  });
});

test('what follows a start depends on how late it was, and whether it is caught up', () => {
  const tasks = (given: Partial<FinishedRun>, lateAfterMs?: number) =>
    followersOfStart({ ...everything, lateAfterMs }, run(given)).map(({ task }) => task);
  expect(tasks({})).toEqual(['onStart']);
  expect(tasks({}, 4999)).toEqual(['onStart', 'onLate']);
  expect(tasks({ startedAt: new Date(10_001) })).toEqual(['onStart', 'onLate']);
  expect(tasks({ origin: 'catch_up' })).toEqual(['onStart', 'onMisfire']);
});

test('all ends are noted but that of an occurrence that an edit took away', () => {
  const noted = RUN_STATES.filter((state) => isNoted(everything, state));
  expect(noted).toEqual(['running', ...TERMINAL_STATES.filter((state) => state !== 'superseded')]);
  expect(isNoted({ onFailure: 'x' }, 'succeeded')).toBe(false);
});

test('ordinals are the same each time, and differ', () => {
  const ordinals = [
    ...followersOfFinish(everything, run({})).followers,
    ...followersOfStart(everything, run({ origin: 'catch_up', startedAt: new Date(20_000) })),
  ].map(({ ordinal }) => ordinal);
  expect(ordinals).toEqual([2001, 2003, 1000, 1002, 2000, 2005, 2006]);
});

test('a record that would be too large has no output', () => {
  const record = recordOf(run({ output: 'x'.repeat(65_536) }), 'onFinish');
  expect(record).toMatchObject({ output: null, outputLeftOut: true, latenessMs: 5000 });
});
