import fc from 'fast-check';
import { describe, it } from 'vitest';
import { isLegalMove, isTerminal } from './run-state.ts';
import { type AttemptEnd, decide, SCATTER_MS, type Tries } from './verdict.ts';

const now = new Date('2026-01-01T00:00:00Z');
const error = fc.record({ name: fc.string(), message: fc.string() });
const at = fc.integer({ min: 0, max: 10 ** 9 }).map((ms) => ({ at: new Date(now.getTime() + ms) }));

const failed = fc.record(
  {
    status: fc.constant('failed' as const),
    error,
    retry: fc.oneof(fc.constant('never' as const), at),
    work: fc.constantFrom('not_begun' as const, 'cut_off' as const),
    exitCode: fc.integer({ min: 1, max: 255 }),
  },
  { requiredKeys: ['status', 'error'] },
);

const returned: fc.Arbitrary<AttemptEnd> = fc
  .oneof(
    failed,
    fc.constant({ status: 'succeeded' as const }),
    fc.record({ status: fc.constant('skipped' as const), reason: fc.string({ minLength: 1 }) }),
  )
  .map((outcome) => ({ kind: 'returned', outcome }));

const why = fc.constantFrom('shutdown' as const, 'lease_lost' as const);
const stopped: fc.Arbitrary<AttemptEnd> = fc.oneof(
  fc.record({ kind: fc.constant('timed_out' as const), timeoutMs: fc.nat(), notBegun: fc.boolean() }),
  fc.record({ kind: fc.constant('silent' as const), heartbeatTimeoutMs: fc.nat(), notBegun: fc.boolean() }),
  fc.record({ kind: fc.constant('interrupted' as const), why, notBegun: fc.boolean() }),
  fc.constant<AttemptEnd>({ kind: 'cancelled', request: { who: 'ann', reason: null } }),
  fc.constant<AttemptEnd>({ kind: 'unreadable', worker: 'w', problem: 'no such field' }),
  fc.record({ kind: fc.constant('lost' as const), worker: fc.constant('w'), shared: fc.boolean(), before: fc.nat(8) }),
);

const ends = fc.oneof(returned, stopped);

const backoff = fc.oneof(
  fc.record({ kind: fc.constant('fixed' as const), delayMs: fc.nat(10 ** 6) }),
  fc.record(
    {
      kind: fc.constant('exponential' as const),
      delayMs: fc.integer({ min: 1, max: 10 ** 6 }),
      capMs: fc.integer({ min: 1, max: 10 ** 7 }),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    },
    { requiredKeys: ['kind', 'delayMs'] },
  ),
);

const anyTries: fc.Arbitrary<Tries> = fc
  .record({
    counted: fc.integer({ min: 1, max: 12 }),
    uncounted: fc.nat(20),
    lost: fc.nat(5),
    maxLost: fc.integer({ min: 1, max: 5 }),
    retry: fc.record({ maxAttempts: fc.integer({ min: 1, max: 10 }), backoff }, { requiredKeys: ['maxAttempts'] }),
    delivery: fc.constantFrom('at-least-once' as const, 'at-most-once' as const),
  })
  .map(({ counted, ...rest }) => ({ ...rest, attempt: counted + rest.uncounted }));

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

function holds(rule: (end: AttemptEnd, tries: Tries, verdict: ReturnType<typeof decide>) => boolean): void {
  fc.assert(
    fc.property(ends, anyTries, random, (end, tries, share) => rule(end, tries, decide(end, tries, now, share))),
    { numRuns: 3000 },
  );
}

/** What is certain: the handler said it failed, or had not begun. */
function isSafeToRepeat(end: AttemptEnd): boolean {
  if (end.kind === 'returned') return end.outcome.status === 'failed' && end.outcome.work !== 'cut_off';
  return end.kind === 'unreadable' || ('notBegun' in end && end.notBegun === true);
}

describe('the verdict, for all ends of attempts and all policies', () => {
  it('asks only for legal moves, gives a reason for all but success, and a time with each retry', () => {
    holds(
      (_, __, { to, reason, retryAt }) =>
        isLegalMove('running', to) &&
        (to === 'succeeded' || reason !== null) &&
        (to === 'retrying') === (retryAt !== undefined),
    );
  });

  it('at-most-once starts nothing again but what the handler reported as failed or had not begun', () => {
    holds((end, { delivery }, { to }) => delivery !== 'at-most-once' || to !== 'retrying' || isSafeToRepeat(end));
  });

  it('at-most-once says unknown, and neither failed nor timed out, of what was cut off', () => {
    holds((end, { delivery }, { to }) => {
      const ownWord = end.kind === 'returned' && (end.outcome.status !== 'failed' || end.outcome.work !== 'cut_off');
      const expected = delivery === 'at-most-once' && !ownWord && !isSafeToRepeat(end) && end.kind !== 'cancelled';
      return (to === 'unknown') === expected;
    });
  });

  it('at-least-once leaves nothing unknown, and tries each run again that lost its worker or was interrupted', () => {
    holds((end, tries, { to }) => {
      if (tries.delivery === 'at-most-once') return true;
      if (end.kind === 'interrupted') return to === 'retrying';
      if (end.kind === 'lost') return to === 'retrying' || to === 'quarantined';
      return to !== 'unknown';
    });
  });

  it('never tries again what was fatal, cancelled, or has used up its attempts', () => {
    holds((end, { attempt, uncounted, retry }, { to }) => {
      const fatal = end.kind === 'returned' && end.outcome.status === 'failed' && end.outcome.retry === 'never';
      const counts = end.kind === 'returned' || end.kind === 'timed_out' || end.kind === 'silent';
      const usedUp = counts && attempt - uncounted >= retry.maxAttempts;
      return !(fatal || usedUp || end.kind === 'cancelled') || isTerminal(to) || to === 'unknown';
    });
  });

  it('counts as lost who lost its worker alone, or whose definition no worker could read, and nobody else', () => {
    holds((end, _, { lost }) => lost === ((end.kind === 'lost' && !end.shared) || end.kind === 'unreadable'));
  });

  it('waits at least as long as the handler asked for, else no longer than the cap', () => {
    holds((end, { retry }, { retryAt }) => {
      if (!retryAt) return true;
      const wish = end.kind === 'returned' && end.outcome.status === 'failed' ? end.outcome.retry : undefined;
      const waitMs = retryAt.getTime() - now.getTime();
      if (wish && wish !== 'never') return retryAt.getTime() === wish.at.getTime();
      const capMs = retry.backoff?.kind === 'fixed' ? retry.backoff.delayMs : (retry.backoff?.capMs ?? 3_600_000);
      return waitMs >= 0 && (end.kind === 'unreadable' || waitMs <= (end.kind === 'lost' ? SCATTER_MS : capMs));
    });
  });
});
