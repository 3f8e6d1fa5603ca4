import { expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../clock.ts';
import type { CatchUpPolicy } from '../plan/catch-up-policy.ts';
import { judgeCatchUps } from './catch-ups.ts';
import type { InForce, LedgerRow } from './question.ts';

const at = (minute: number) => new Date(minute * MINUTE);

/** A catch-up run of an occurrence that began at a minute. */
function caughtUp(minute: number, startedAt: number, given: Partial<LedgerRow> = {}): LedgerRow {
  return {
    runId: `run-${minute}`,
    version: 1,
    scheduledFor: at(minute),
    createdAt: at(minute),
    origin: 'catch_up',
    state: 'succeeded',
    reason: null,
    untilAt: null,
    occurrences: 1,
    worker: null,
    dueAt: at(minute),
    startedAt: at(startedAt),
    finishedAt: at(startedAt),
    attempt: 1,
    waited: false,
    released: false,
    ...given,
  };
}

const inTime = (minute: number, startedAt = minute, given: Partial<LedgerRow> = {}) =>
  caughtUp(minute, startedAt, { origin: 'schedule', ...given });
const missed = (minute: number) => inTime(minute, minute, { state: 'missed', startedAt: null });

function found(catchUp: CatchUpPolicy | undefined, rows: LedgerRow[], given: Partial<InForce> = {}): number[] {
  const version: InForce = {
    version: 1,
    schedule: { kind: 'every', everyMs: MINUTE },
    effectiveAt: at(0),
    endedAt: null,
    catchUp,
    ...given,
  };
  const question = { name: 't', versions: [version], rows, pauses: [], from: at(1), to: at(1000), asOf: at(1000) };
  const findings = judgeCatchUps(rows, question);
  expect(new Set(findings.map(({ kind }) => kind)).size).toBeLessThanOrEqual(1);
  return findings.map(({ scheduledFor }) => scheduledFor.getTime() / MINUTE);
}

test('what begins within its misfire threshold is as it should be; later it needs a verdict', () => {
  expect(found(undefined, [inTime(10, 11)])).toEqual([]);
  expect(found(undefined, [inTime(10, 11.1)])).toEqual([10]);
  expect(found(undefined, [inTime(10, 11.1)], { misfireThresholdMs: 2 * MINUTE })).toEqual([]);
  expect(found(undefined, [inTime(10, 10.5)], { misfireThresholdMs: 20 * SECOND })).toEqual([10]);
});

test.each<[string, Partial<LedgerRow>]>([
  ['waited for its key', { waited: true }],
  ['was let go by a person', { released: true }],
  ['has been tried before', { attempt: 2 }],
  ['has not begun', { startedAt: null, state: 'queued' }],
  ['is of a backfill', { origin: 'backfill' }],
])('one that %s is not judged', (_, given) => {
  expect(found({ policy: 'none' }, [caughtUp(10, 500, given), inTime(11, 500, given)])).toEqual([]);
});

test('a task that does not catch up has no catch-up run', () => {
  expect(found({ policy: 'none' }, [caughtUp(10, 12)])).toEqual([10]);
});

test('what is later than the task allows is not caught up; a stagger may add to it, and jitter', () => {
  const withinMs = 15 * MINUTE;
  expect(found({ policy: 'all', withinMs }, [caughtUp(10, 25), caughtUp(11, 26.1)])).toEqual([11]);
  expect(found({ policy: 'earliest', withinMs, staggerMs: 5 * MINUTE }, [caughtUp(10, 30)])).toEqual([]);
  const schedule = { kind: 'every', everyMs: MINUTE, jitterMs: 30 * SECOND } as const;
  expect(found({ policy: 'all', withinMs }, [caughtUp(10, 25.5)], { schedule })).toEqual([]);
  expect(found({ policy: 'latest' }, [caughtUp(10, 10 + 25 * 60)])).toEqual([10]);
});

test('of latest no older one begins once a newer one is due that begins too', () => {
  const latest = { policy: 'latest', withinMs: 5 * HOUR } as const;
  expect(found(latest, [caughtUp(10, 13), caughtUp(11, 13)])).toEqual([10]);
  expect(found(latest, [caughtUp(10, 13), inTime(13, 13.1)])).toEqual([10]);
  expect(found(latest, [caughtUp(10, 13), inTime(14)])).toEqual([]);
  expect(found(latest, [caughtUp(10, 13), missed(11)])).toEqual([]);
  expect(found(latest, [caughtUp(10, 13, { worker: 'a' }), caughtUp(11, 13, { worker: 'b' })])).toEqual([]);
});

test('no more are caught up after one outage than the task allows; one that was in time ends it', () => {
  const two = { policy: 'all', max: 2 } as const;
  expect(found(two, [caughtUp(10, 13), missed(11), caughtUp(12, 14), caughtUp(13, 15)])).toEqual([13]);
  expect(found(two, [caughtUp(10, 13), caughtUp(11, 13), inTime(12), caughtUp(13, 15)])).toEqual([]);
  expect(found({ policy: 'earliest' }, [caughtUp(10, 13), caughtUp(11, 13)])).toEqual([11]);
});

test('where the rules changed between an occurrence and its start nothing is said', () => {
  const changed = { endedAt: at(12) };
  expect(found({ policy: 'none' }, [caughtUp(10, 11)], changed)).toEqual([10]);
  expect(found({ policy: 'none' }, [caughtUp(13, 14)], changed)).toEqual([]);
});
