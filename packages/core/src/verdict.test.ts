import { describe, expect, it } from 'vitest';
import { isLegalMove } from './run-state.ts';
import { type AttemptEnd, backoffMs, decide, type Tries } from './verdict.ts';

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
