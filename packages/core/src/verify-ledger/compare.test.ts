import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../clock.ts';
import { nextFire } from '../schedule/next-fire.ts';
import { parseSchedule } from '../schedule/parse.ts';
import type { ScheduleSpec } from '../schedule/spec.ts';
import { compareChain } from './chain.ts';
import { compareOccurrences } from './compare.ts';
import { type InForce, isGap, type LedgerQuestion, type LedgerRow } from './question.ts';

const EVERY_MINUTE: ScheduleSpec = { kind: 'every', everyMs: MINUTE };
const at = (minute: number) => new Date(minute * MINUTE);

function row(minute: number, given: Partial<LedgerRow> = {}): LedgerRow {
  return {
    runId: `run-${minute}`,
    version: 1,
    scheduledFor: at(minute),
    createdAt: at(minute - 0.1),
    origin: 'schedule',
    state: 'succeeded',
    reason: null,
    untilAt: null,
    occurrences: 1,
    worker: null,
    dueAt: at(minute),
    startedAt: at(minute),
    finishedAt: new Date(at(minute).getTime() + SECOND),
    attempt: 1,
    waited: false,
    released: false,
    ...given,
  };
}

function version(given: Partial<InForce> = {}): InForce {
  return { version: 1, schedule: EVERY_MINUTE, effectiveAt: at(0), endedAt: null, ...given };
}

function question(given: Partial<LedgerQuestion> = {}): LedgerQuestion {
  return { name: 't', versions: [version()], rows: [], pauses: [], from: at(10), to: at(13), asOf: at(13), ...given };
}

const kindsOf = (found: { kind: string; scheduledFor: Date }[]) =>
  found.map(({ kind, scheduledFor }) => `${kind} ${scheduledFor.getTime() / MINUTE}`);

describe('rows', () => {
  test('that are all there are no finding', () => {
    expect(compareOccurrences(question({ rows: [row(10), row(11), row(12), row(13)] }))).toEqual([]);
  });

  test('one that is not there is missing', () => {
    expect(kindsOf(compareOccurrences(question({ rows: [row(11), row(13)] })))).toEqual(['missing 12']);
  });

  test('one that no schedule asked for is unexpected; a superseded or backfilled one is not', () => {
    const rows = [
      row(11),
      row(11.5),
      row(12),
      row(12.5, { state: 'superseded' }),
      row(13),
      row(12.7, { origin: 'backfill' }),
    ];
    expect(kindsOf(compareOccurrences(question({ rows })))).toEqual(['unexpected 11.5']);
  });

  test('a superseded one accounts for nothing', () => {
    const rows = [row(11), row(12, { state: 'superseded' }), row(13)];
    expect(kindsOf(compareOccurrences(question({ rows })))).toEqual(['missing 12']);
  });
});

describe('a stretch in one row', () => {
  const missed = { state: 'missed', startedAt: null, untilAt: at(13) } as const;

  test('accounts for each of its occurrences', () => {
    expect(compareOccurrences(question({ rows: [row(11, { ...missed, occurrences: 3 })] }))).toEqual([]);
  });

  test('is counted anew', () => {
    expect(kindsOf(compareOccurrences(question({ rows: [row(11, { ...missed, occurrences: 2 })] })))).toEqual([
      'miscounted 11',
    ]);
  });

  test('does not count one that had a row when it was made', () => {
    const before = row(12, { version: 1, createdAt: at(11) });
    const stretch = row(11, { ...missed, version: 2, createdAt: at(14), occurrences: 2 });
    const versions = [version({ endedAt: at(10.5) }), version({ version: 2, effectiveAt: at(10.5) })];
    expect(compareOccurrences(question({ from: at(10.9), versions, rows: [before, stretch] }))).toEqual([]);
    const later = { ...before, createdAt: at(15), origin: 'backfill' as const };
    expect(kindsOf(compareOccurrences(question({ from: at(10.9), versions, rows: [later, stretch] })))).toEqual([
      'miscounted 11',
    ]);
  });

  test('that began before the window reaches into it', () => {
    expect(compareOccurrences(question({ rows: [row(5, { ...missed, occurrences: 9 })] }))).toEqual([]);
  });
});

describe('starts', () => {
  const judged = (given: Partial<LedgerRow>) =>
    kindsOf(compareOccurrences(question({ from: at(11), to: at(12), rows: [row(12, given)] })));

  test('before the due time are early', () => {
    expect(judged({ startedAt: new Date(at(12).getTime() - 1) })).toEqual(['early 12']);
  });

  test('of a run with jitter count from its own due time', () => {
    expect(judged({ dueAt: new Date(at(12).getTime() + 1), startedAt: at(12) })).toEqual(['early 12']);
  });

  test('more than a minute after are late', () => {
    expect(judged({ startedAt: new Date(at(13).getTime() + 1), waited: true })).toEqual(['late 12']);
  });

  test('that did not come within a minute are told; a run that waits its turn has a reason', () => {
    const unstarted = { startedAt: null, finishedAt: null, attempt: 0 } as const;
    const later = (state: LedgerRow['state']) =>
      kindsOf(
        compareOccurrences(
          question({ from: at(11), to: at(12), asOf: at(14), rows: [row(12, { ...unstarted, state })] }),
        ),
      );
    expect(later('queued')).toEqual(['not_started 12']);
    expect(later('waiting')).toEqual([]);
    expect(judged({ ...unstarted, state: 'queued' })).toEqual([]);
  });
});

describe('versions', () => {
  test('each says what is due while it is in force', () => {
    const versions = [
      version({ endedAt: at(11.5) }),
      version({ version: 2, schedule: { kind: 'every', everyMs: 2 * MINUTE }, effectiveAt: at(11.5) }),
    ];
    expect(compareOccurrences(question({ versions, rows: [row(11), row(12)] }))).toEqual([]);
    expect(kindsOf(compareOccurrences(question({ versions, rows: [row(11), row(12), row(13)] })))).toEqual([
      'unexpected 13',
    ]);
  });

  test('nothing is due after a task was deleted', () => {
    const versions = [version({ endedAt: at(11.5) })];
    expect(compareOccurrences(question({ versions, rows: [row(11)] }))).toEqual([]);
  });

  test('an edit counts from its very instant on', () => {
    const versions = [
      version({ endedAt: at(12) }),
      version({ version: 2, schedule: { kind: 'every', everyMs: 7 * MINUTE }, effectiveAt: at(12) }),
    ];
    expect(compareOccurrences(question({ versions, rows: [row(11)] }))).toEqual([]);
  });

  test('what was planned ahead of an edit or a deletion and has not begun is no finding', () => {
    const versions = [version({ endedAt: at(11.5) })];
    const ahead = { createdAt: at(11.4), startedAt: null, finishedAt: at(12), attempt: 0 };
    for (const state of ['cancelled', 'skipped', 'missed', 'queued'] as const)
      expect(compareOccurrences(question({ versions, rows: [row(11), row(12, { ...ahead, state })] }))).toEqual([]);
  });

  test('what was about to begin while its task was edited is no finding, what began later is one', () => {
    const versions = [version({ endedAt: at(11.999) })];
    const started = (minute: number) =>
      kindsOf(compareOccurrences(question({ versions, rows: [row(11), row(12, { startedAt: at(minute) })] })));
    expect(started(12)).toEqual([]);
    expect(started(12.5)).toEqual(['unexpected 12']);
  });

  test('a stretch says nothing about what is due by the version after it', () => {
    const versions = [version({ endedAt: at(11.5) }), version({ version: 2, effectiveAt: at(11.5) })];
    const stretch = row(11, { state: 'missed', startedAt: null, untilAt: at(13), occurrences: 3 });
    expect(kindsOf(compareOccurrences(question({ versions, rows: [stretch] })))).toEqual(['missing 12', 'missing 13']);
  });

  test('what schedulers have not come to yet is one finding, and no gap', () => {
    const found = compareOccurrences(question({ plannedTo: at(12), rows: [row(11)] }));
    expect(kindsOf(found)).toEqual(['unplanned 12']);
    expect(found.some(isGap)).toBe(false);
    expect(kindsOf(compareOccurrences(question({ plannedTo: at(13), rows: [row(11)] })))).toEqual([
      'missing 12',
      'unplanned 13',
    ]);
  });

  test('a date that had passed when it was saved may have fired', () => {
    const versions = [version({ schedule: { kind: 'once', at: at(11).toISOString() }, effectiveAt: at(12) })];
    expect(compareOccurrences(question({ versions, rows: [row(11)] }))).toEqual([]);
  });
});

describe('a schedule that counts from the end', () => {
  const versions = [version({ schedule: { kind: 'fixed-delay', delayMs: 2 * MINUTE } })];
  const chain = (rows: LedgerRow[], asOf: Date) =>
    kindsOf(compareChain(question({ versions, rows, to: at(20), asOf })));

  test('misses the run that should have followed', () => {
    expect(chain([row(11, { finishedAt: at(12) })], at(20))).toEqual(['missing 14']);
  });

  test('has no hole: a run is due as long after the end of the one before', () => {
    const ran = (minute: number) => row(minute, { finishedAt: at(minute + 1) });
    expect(chain([ran(11), ran(14), ran(17)], at(20))).toEqual([]);
    expect(chain([ran(11), ran(17)], at(20))).toEqual(['missing 14']);
    expect(chain([ran(11), ran(13)], at(13))).toEqual(['unexpected 13']);
  });

  const delay: ScheduleSpec = { kind: 'fixed-delay', delayMs: 2 * MINUTE };
  const edited = [
    version({ schedule: delay, effectiveAt: at(10.5), endedAt: at(15) }),
    version({ version: 2, effectiveAt: at(15), savedAt: at(15) }),
  ];
  const ofEdited = (rows: LedgerRow[], given: Partial<LedgerQuestion> = {}) =>
    kindsOf(compareChain(question({ versions: edited, rows, to: at(20), asOf: at(20), plannedTo: at(21), ...given })));

  test('has no hole where an older version has made the row of that instant ahead of the edit', () => {
    const versions = [
      version({ effectiveAt: at(10), endedAt: at(11) }),
      version({ version: 2, schedule: delay, effectiveAt: at(11), savedAt: at(11) }),
    ];
    const ahead = row(13, { version: 1 });
    const next = row(14.5, { version: 2 });
    const holes = (rows: LedgerRow[]) =>
      kindsOf(compareChain(question({ versions, rows, to: at(15), asOf: at(15), plannedTo: at(16) })));
    expect(holes([ahead, next])).toEqual([]);
    expect(holes([next])).toEqual(['missing 13']);
  });

  test('misses the last run before an edit, and the only one', () => {
    expect(ofEdited([row(12.5, { finishedAt: at(14) })])).toEqual([]);
    expect(ofEdited([row(12.5, { finishedAt: at(12.6) })])).toEqual(['missing 14.6']);
    expect(ofEdited([])).toEqual(['missing 12.5']);
    expect(ofEdited([], { over: new Set([1]) })).toEqual([]);
  });

  test('counts no run that ended when the next definition had been saved, ahead of its time', () => {
    const [own, next] = edited;
    const versions = own && next ? [own, { ...next, savedAt: at(12) }] : [];
    for (const to of [at(20), at(14.8)])
      expect(ofEdited([row(12.5, { finishedAt: at(12.6) })], { versions, to })).toEqual([]);
    expect(ofEdited([], { versions, to: at(14.8) })).toEqual(['missing 12.5']);
  });

  test('misses the last run though schedulers know when the next one is due', () => {
    const rows = [row(11, { finishedAt: at(12) })];
    const known = { versions, rows, to: at(20), asOf: at(20) };
    expect(kindsOf(compareChain(question({ ...known, plannedTo: at(14) })))).toEqual([]);
    expect(kindsOf(compareChain(question({ ...known, plannedTo: at(18) })))).toEqual(['missing 14']);
  });

  test('waits for it a minute, and for a run that goes on', () => {
    expect(chain([row(11, { finishedAt: at(12) })], at(14.9))).toEqual([]);
    expect(chain([row(11, { finishedAt: null, state: 'running' })], at(20))).toEqual([]);
  });
});

test('whatever one row is taken away is found, and nothing else (property)', () => {
  const expression = fc.constantFrom('*/7 * * * *', '30 2 * * *', '0 */3 * * 1-5', '15 1,2,3 * * *', '0 0 L * *');
  const timeZone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe');
  fc.assert(
    fc.property(
      expression,
      timeZone,
      fc.integer({ min: 0, max: 1_700_000_000 }),
      fc.nat(),
      (cron, zone, start, nth) => {
        const schedule: ScheduleSpec = { kind: 'cron', expression: cron, timeZone: zone };
        const from = new Date(start * SECOND);
        const to = new Date(from.getTime() + 3 * 24 * 60 * MINUTE);
        const rows: LedgerRow[] = [];
        const parsed = parseSchedule(schedule);
        for (let fire = nextFire(parsed, from); fire && fire <= to; fire = nextFire(parsed, fire))
          rows.push(row(fire.getTime() / MINUTE));
        const asked = question({ versions: [version({ schedule })], from, to, asOf: to });
        expect(compareOccurrences({ ...asked, rows })).toEqual([]);
        if (rows.length === 0) return;
        const taken = rows.splice(nth % rows.length, 1)[0];
        expect(compareOccurrences({ ...asked, rows })).toMatchObject([
          { kind: 'missing', scheduledFor: taken?.scheduledFor },
        ]);
      },
    ),
    { numRuns: 60 },
  );
});
