import { describe, expect, it } from 'vitest';
import { DAY } from './clock.ts';
import { formatSpan } from './format-span.ts';
import type { HandlerOutcome } from './handler.ts';
import { isLegalMove } from './run-state.ts';
import { type AttemptEnd, backoffMs, decide, type Tries, type Verdict } from './verdict.ts';

const now = new Date('2026-01-01T00:00:00Z');
const once: Tries = {
  attempt: 1,
  uncounted: 0,
  lost: 0,
  maxLost: 3,
  retry: { maxAttempts: 1 },
  delivery: 'at-least-once',
};
const thrice: Tries = { ...once, retry: { maxAttempts: 3, backoff: { kind: 'fixed', delayMs: 5000 } } };
const failed: AttemptEnd = { kind: 'returned', outcome: { status: 'failed', error: { name: 'Error', message: 'no' } } };

describe('the verdict on an attempt', () => {
  it('ends a success', () => {
    const verdict = decide({ kind: 'returned', outcome: { status: 'succeeded', output: { a: 1 } } }, once, now, 0);
    expect(verdict).toMatchObject({ to: 'succeeded', reason: null, output: { a: 1 } });
  });

  it('ends a failure when no attempt is left, and says which it was', () => {
    expect(decide(failed, once, now, 0)).toMatchObject({ to: 'failed', reason: 'no' });
    expect(decide(failed, { ...thrice, attempt: 3 }, now, 0)).toMatchObject({
      to: 'failed',
      reason: 'no (attempt 3 of 3)',
    });
  });

  it('retries a failure after the back-off while attempts are left', () => {
    const verdict = decide(failed, { ...thrice, attempt: 2 }, now, 0);
    expect(verdict).toMatchObject({
      to: 'retrying',
      retryAt: new Date('2026-01-01T00:00:05Z'),
      attemptOutcome: 'failed',
    });
  });

  it('offers a run again, at no cost, whose code another worker of the pool has', () => {
    for (const tries of [once, { ...once, uncounted: 40 }, { ...once, delivery: 'at-most-once' as const }])
      expect(decide({ kind: 'elsewhere', worker: 'w' }, tries, now, 0)).toMatchObject({
        to: 'retrying',
        retryAt: new Date('2026-01-01T00:00:00.500Z'),
        lost: false,
        uncounted: true,
      });
  });

  it('never retries what the handler calls fatal, and retries when the handler says', () => {
    const fatal = decide({ kind: 'returned', outcome: { ...outcome(failed), retry: 'never' } }, thrice, now, 0);
    expect(fatal).toMatchObject({ to: 'failed', reason: 'no', lost: false, uncounted: false });
    const at = new Date('2026-01-01T01:00:00Z');
    expect(
      decide({ kind: 'returned', outcome: { ...outcome(failed), retry: { at } } }, thrice, now, 0).retryAt,
    ).toEqual(at);
  });

  it('counts neither lost nor interrupted attempts against the policy', () => {
    expect(decide(failed, { ...thrice, attempt: 5, uncounted: 3 }, now, 0).to).toBe('retrying');
    expect(decide({ kind: 'interrupted', why: 'shutdown' }, once, now, 0)).toMatchObject({
      to: 'retrying',
      uncounted: true,
      lost: false,
    });
  });

  it('quarantines a run that loses its worker again and again', () => {
    const lost = { kind: 'lost', worker: 'w', shared: false, before: 0 } as const;
    expect(decide(lost, once, now, 0)).toMatchObject({ to: 'retrying', lost: true });
    expect(decide(lost, { ...once, lost: 2 }, now, 0)).toMatchObject({ to: 'quarantined' });
  });

  it('offers a run whose definition its worker could not read to others, until that was held against it maxLost times', () => {
    const unreadable = { kind: 'unreadable', worker: 'w', problem: 'no such key' } as const;
    expect(decide(unreadable, { ...once, lost: 1 }, now, 0)).toMatchObject({
      to: 'retrying',
      lost: true,
      uncounted: true,
    });
    expect(decide(unreadable, { ...once, lost: 2 }, now, 0)).toMatchObject({
      to: 'quarantined',
      reason: 'worker w could not read its definition: no such key',
    });
  });

  it('says of a silent handler that it did not report, and tries it again as the policy says', () => {
    const silent: AttemptEnd = { kind: 'silent', heartbeatTimeoutMs: 30_000 };
    const reason = 'its handler did not report within its heartbeat limit of 30 s';
    expect(decide(silent, once, now, 0)).toMatchObject({ to: 'timed_out', reason });
    expect(decide(silent, thrice, now, 0)).toMatchObject({ to: 'retrying', attemptOutcome: 'timed_out', reason });
  });

  it('only asks for moves that are legal', () => {
    const ends: AttemptEnd[] = [
      failed,
      { kind: 'returned', outcome: { status: 'succeeded' } },
      { kind: 'returned', outcome: { status: 'skipped', reason: 'nothing to do' } },
      { kind: 'timed_out', timeoutMs: 1000 },
      { kind: 'cancelled', request: { who: 'ann', reason: null } },
      { kind: 'interrupted', why: 'lease_lost' },
      { kind: 'lost', worker: 'w', shared: false, before: 0 },
    ];
    for (const end of ends)
      for (const tries of [once, thrice, { ...once, lost: 2 }])
        expect(isLegalMove('running', decide(end, tries, now, 0.5).to)).toBe(true);
  });

  it.each([
    ['in time', 5000, 5000, 'busy'],
    ['that has passed', -1e12, 0, 'busy'],
    ['as late as it may be', 30 * DAY, 30 * DAY, 'busy'],
    ['later than it may be', 30 * DAY + 1, 30 * DAY, `busy; it asked to be tried again at`],
    ['in the year 9999', Date.parse('9999-12-31T00:00:00Z') - now.getTime(), 30 * DAY, 'is after 30 d, the most'],
  ])(
    'a handler that asks for an attempt %s gets one between now and 30 days ahead, and is told so',
    (_, askedMs, givenMs, reason) => {
      const at = new Date(now.getTime() + askedMs);
      const outcome = { status: 'failed', error: { name: 'Error', message: 'busy' }, retry: { at } } as const;
      const verdict = decide({ kind: 'returned', outcome }, thrice, now, 0.5);
      expect(verdict).toMatchObject({ to: 'retrying', retryAt: new Date(now.getTime() + givenMs) });
      expect(verdict.reason).toContain(reason);
    },
  );

  it('backs off exponentially up to the cap, less a random share', () => {
    const policy = {
      maxAttempts: 9,
      backoff: { kind: 'exponential' as const, delayMs: 1000, capMs: 5000, jitter: 0.5 },
    };
    expect([1, 2, 3, 4].map((attempt) => backoffMs(policy, attempt, 0))).toEqual([1000, 2000, 4000, 5000]);
    expect(backoffMs(policy, 4, 1)).toBe(2500);
  });
});

function outcome(end: AttemptEnd) {
  if (end.kind !== 'returned' || end.outcome.status !== 'failed') throw new Error('not a failure');
  return end.outcome;
}

describe('the whole verdict, with nothing beside it', () => {
  const kept = { error: { name: 'Error', message: 'no' } };
  const quiet = { lost: false, uncounted: false };
  const returned = (outcome: HandlerOutcome): AttemptEnd => ({ kind: 'returned', outcome });
  const done = { to: 'succeeded', reason: null, ...quiet };
  const effects = { state: { value: 1, version: 1, shape: 1 } };

  it.each<[string, AttemptEnd, Partial<Tries>, Verdict]>([
    ['a success', returned({ status: 'succeeded' }), {}, { ...done, to: 'succeeded' }],
    [
      'a success with all it can have',
      returned({ status: 'succeeded', output: null, exitCode: 0, effects }),
      {},
      { ...done, to: 'succeeded', output: null, exitCode: 0, effects },
    ],
    ['a skip', returned({ status: 'skipped', reason: 'none' }), {}, { to: 'skipped', reason: 'none', ...quiet }],
    ['a failure', failed, {}, { to: 'failed', reason: 'no', ...quiet, ...kept }],
    [
      'a failure with a code, whose error has a name alone',
      returned({ status: 'failed', error: { name: 'Bad', message: '' }, exitCode: 3 }),
      {},
      { to: 'failed', reason: 'Bad', ...quiet, error: { name: 'Bad', message: '' }, exitCode: 3 },
    ],
    [
      'a time limit',
      { kind: 'timed_out', timeoutMs: 1000, seen: 'seen' },
      {},
      { to: 'timed_out', reason: 'ran longer than its time limit of 1 s; seen', ...quiet },
    ],
    [
      'a silence',
      { kind: 'silent', heartbeatTimeoutMs: 1000 },
      {},
      { to: 'timed_out', reason: 'its handler did not report within its heartbeat limit of 1 s', ...quiet },
    ],
    [
      'a shutdown',
      { kind: 'interrupted', why: 'shutdown' },
      {},
      {
        to: 'retrying',
        reason: 'cut off by the shutdown of its worker',
        retryAt: now,
        attemptOutcome: 'interrupted',
        lost: false,
        uncounted: true,
      },
    ],
    [
      'a lease that could not be proven',
      { kind: 'interrupted', why: 'lease_lost' },
      {},
      {
        to: 'retrying',
        reason: 'its worker could no longer prove its lease',
        retryAt: now,
        attemptOutcome: 'interrupted',
        lost: false,
        uncounted: true,
      },
    ],
    [
      'a worker that vanished with this run alone',
      { kind: 'lost', worker: 'w', shared: false, before: 0 },
      {},
      {
        to: 'retrying',
        reason: 'lost its worker w',
        retryAt: now,
        attemptOutcome: 'lost',
        lost: true,
        uncounted: true,
      },
    ],
    [
      'the last one that it may lose, alone',
      { kind: 'lost', worker: 'w', shared: false, before: 0 },
      { lost: 2 },
      {
        to: 'quarantined',
        reason: 'lost its worker 3 times (limit 3), the last was w',
        lost: true,
        uncounted: true,
      },
    ],
    [
      'the last one that it may lose with others',
      { kind: 'lost', worker: 'w', shared: true, before: 4 },
      {},
      {
        to: 'quarantined',
        reason: 'lost its worker 5 times (limit 5 where other runs were on it too), the last was w',
        lost: false,
        uncounted: true,
      },
    ],
    [
      'the only one that it may lose',
      { kind: 'lost', worker: 'w', shared: false, before: 0 },
      { maxLost: 1 },
      { to: 'quarantined', reason: 'lost its worker once (limit 1), the last was w', lost: true, uncounted: true },
    ],
    [
      'a definition that its worker cannot read',
      { kind: 'unreadable', worker: 'w', problem: 'x' },
      { lost: 1 },
      {
        to: 'retrying',
        reason: 'worker w could not read its definition: x',
        retryAt: new Date(now.getTime() + 5000),
        attemptOutcome: 'interrupted',
        lost: true,
        uncounted: true,
      },
    ],
    [
      'a definition that no worker can read',
      { kind: 'unreadable', worker: 'w', problem: 'x' },
      { lost: 2 },
      { to: 'quarantined', reason: 'worker w could not read its definition: x', lost: true, uncounted: true },
    ],
    [
      'a worker that vanished, of a run that must not begin twice',
      { kind: 'lost', worker: 'w', shared: true, before: 0 },
      { delivery: 'at-most-once' },
      {
        to: 'unknown',
        reason: 'lost its worker w; its work may be done or not, and it is not started again (at-most-once)',
        lost: false,
        uncounted: true,
      },
    ],
    [
      'a failure in the middle of work that must not be done twice',
      returned({ status: 'failed', ...kept, exitCode: 9, work: 'cut_off' }),
      { delivery: 'at-most-once' },
      {
        to: 'unknown',
        reason: 'no; its work may be done or not, and it is not started again (at-most-once)',
        ...quiet,
        ...kept,
        exitCode: 9,
      },
    ],
  ])('%s', (_, end, tries, verdict) => {
    expect(decide(end, { ...once, ...tries }, now, 0.5)).toStrictEqual(verdict);
  });
});

it.each([
  [999, '999 ms'],
  [1000, '1 s'],
  [59_900, '59.9 s'],
  [60_000, '1 min'],
  [3_599_000, '60 min'],
  [3_600_000, '1 h'],
  [71 * 3_600_000, '71 h'],
  [72 * 3_600_000, '3 d'],
  [84 * 3_600_000, '3.5 d'],
])('%d ms are said as %s', (ms, words) => {
  expect(formatSpan(ms)).toBe(words);
});
