import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../clock.ts';
import { parseCalendar } from '../schedule/calendar/calendar.ts';
import { occurrencesOf } from '../schedule/calendar/occurrences.ts';
import type { CalendarSpec } from '../schedule/calendar/spec.ts';
import { parseSchedule } from '../schedule/parse.ts';
import type { ScheduleSpec } from '../schedule/spec.ts';
import { compareOccurrences } from './compare.ts';
import { expectedFires } from './expected.ts';
import type { InForce, LedgerQuestion, LedgerRow } from './question.ts';

const BERLIN = 'Europe/Berlin';
const NINE: ScheduleSpec = { kind: 'cron', expression: '0 9 * * *', timeZone: BERLIN };
const LAST_DAY: ScheduleSpec = { kind: 'cron', expression: '0 18 L * *', timeZone: BERLIN };
const WEEKEND: CalendarSpec = { timeZone: BERLIN, entries: [{ weekdays: ['SAT', 'SUN'] }] };
const CHRISTMAS: CalendarSpec = { timeZone: BERLIN, entries: [{ name: 'Christmas', from: '12-24', to: '12-26' }] };
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

function version(given: Partial<InForce>): InForce {
  return { version: 1, schedule: NINE, effectiveAt: LONG_AGO, endedAt: null, ...given };
}

function row(text: string, given: Partial<LedgerRow> = {}): LedgerRow {
  const at = new Date(text);
  return {
    runId: `run of ${text}`,
    version: 1,
    scheduledFor: at,
    createdAt: new Date(at.getTime() - SECOND),
    origin: 'schedule',
    state: 'succeeded',
    reason: null,
    untilAt: null,
    occurrences: 1,
    worker: null,
    dueAt: at,
    startedAt: at,
    finishedAt: new Date(at.getTime() + SECOND),
    attempt: 1,
    waited: false,
    released: false,
    ...given,
  };
}

const SKIPPED = { state: 'skipped', startedAt: null, attempt: 0 } as const;
const excluded = (text: string, given: Partial<LedgerRow> = {}) =>
  row(text, { ...SKIPPED, reason: 'excluded by calendar holidays: Christmas', ...given });

function judged(given: Partial<LedgerQuestion>): string[] {
  const asked = { name: 't', versions: [], rows: [], pauses: [], from: LONG_AGO, to: LONG_AGO, asOf: LONG_AGO };
  return compareOccurrences({ ...asked, ...given }).map(
    ({ kind, scheduledFor }) => `${kind} ${scheduledFor.toISOString().slice(0, 16)}`,
  );
}

describe('a calendar that excludes', () => {
  const versions = [version({ calendars: { exclude: [CHRISTMAS] } })];
  const december = { versions, from: new Date('2026-12-23T00:00Z'), to: new Date('2026-12-27T12:00Z') };
  const kept = [row('2026-12-23T08:00Z'), row('2026-12-27T08:00Z')];
  const stretch = excluded('2026-12-24T08:00Z', { untilAt: new Date('2026-12-26T08:00Z'), occurrences: 3 });

  test('wants its rows skipped, one by one or as a stretch', () => {
    const single = ['24', '25', '26'].map((day) => excluded(`2026-12-${day}T08:00Z`));
    expect(judged({ ...december, rows: [...kept, ...single] })).toEqual([]);
    expect(judged({ ...december, rows: [...kept, stretch] })).toEqual([]);
  });

  test('wants them in the ledger', () => {
    const rows = [...kept, excluded('2026-12-24T08:00Z'), excluded('2026-12-26T08:00Z')];
    expect(judged({ ...december, rows })).toEqual(['missing 2026-12-25T08:00']);
  });

  test('is not to be run through', () => {
    const rows = [...kept, excluded('2026-12-24T08:00Z'), row('2026-12-25T08:00Z'), excluded('2026-12-26T08:00Z')];
    expect(judged({ ...december, rows })).toEqual(['not_skipped 2026-12-25T08:00']);
  });

  test('is no reason where it says nothing', () => {
    const rows = [excluded('2026-12-23T08:00Z'), stretch, row('2026-12-27T08:00Z')];
    expect(judged({ ...december, rows })).toEqual(['wrongly_skipped 2026-12-23T08:00']);
  });

  test('may have been edited after the row was made', () => {
    const edited = new Date('2026-12-24T07:59Z');
    const cut = [
      version({ calendars: { exclude: [CHRISTMAS] }, endedAt: edited }),
      version({ calendars: { exclude: [WEEKEND] }, effectiveAt: edited }),
    ];
    const made = excluded('2026-12-24T08:00Z', { createdAt: new Date('2026-12-24T07:58Z') });
    const to = new Date('2026-12-24T12:00Z');
    expect(judged({ ...december, versions: cut, to, rows: [row('2026-12-23T08:00Z'), made] })).toEqual([]);
  });
});

describe('a calendar that excludes a date that had passed when its task was saved', () => {
  const schedule: ScheduleSpec = { kind: 'once', at: '2026-12-25T08:00:00.000Z' };
  const saved = new Date('2026-12-27T08:00:00Z');
  const edited = new Date('2026-12-27T09:00:00Z');
  const pieces = [
    version({ schedule, effectiveAt: saved, endedAt: edited, calendars: { exclude: [CHRISTMAS] } }),
    version({ schedule, effectiveAt: edited, calendars: { exclude: [] } }),
  ];
  const window = { versions: pieces, from: new Date('2026-12-23T00:00Z'), to: new Date('2026-12-28T00:00Z') };
  const [early, late] = ['2026-12-27T08:30Z', '2026-12-27T09:30Z'].map((text) => ({ createdAt: new Date(text) }));

  test('says so when its row is made', () => {
    expect(judged({ ...window, rows: [excluded('2026-12-25T08:00Z', early)] })).toEqual([]);
    expect(judged({ ...window, rows: [excluded('2026-12-25T08:00Z', late)] })).toEqual([
      'wrongly_skipped 2026-12-25T08:00',
    ]);
  });

  test('is not to be run through', () => {
    const startedAt = new Date('2026-12-27T09:40Z');
    expect(judged({ ...window, rows: [row('2026-12-25T08:00Z', { ...early, startedAt, dueAt: startedAt })] })).toEqual([
      'not_skipped 2026-12-25T08:00',
    ]);
    expect(judged({ ...window, rows: [row('2026-12-25T08:00Z', { ...late, startedAt, dueAt: startedAt })] })).toEqual(
      [],
    );
  });
});

test('rows that were made before their definition counts go by the calendars of that time', () => {
  const version2 = { version: 2, effectiveAt: new Date('2026-12-24T00:00:00Z') };
  const versions = [
    version({ endedAt: version2.effectiveAt }),
    version({
      ...version2,
      endedAt: version2.effectiveAt,
      knownFrom: new Date('2026-12-23T23:59:50Z'),
      calendars: { exclude: [CHRISTMAS] },
    }),
    version({ ...version2, calendars: { exclude: [] } }),
  ];
  const window = { versions, from: new Date('2026-12-23T23:00Z'), to: new Date('2026-12-24T12:00Z') };
  const skipped = (createdAt: string) =>
    judged({ ...window, rows: [excluded('2026-12-24T08:00Z', { version: 2, createdAt: new Date(createdAt) })] });
  expect(skipped('2026-12-23T23:59:55Z')).toEqual([]);
  expect(skipped('2026-12-24T00:00:01Z')).toEqual(['wrongly_skipped 2026-12-24T08:00']);
});

describe('a calendar that shifts', () => {
  const use = { exclude: [WEEKEND, CHRISTMAS], shift: 'previous' as const };
  const versions = [version({ schedule: LAST_DAY, calendars: use })];
  const spring = { versions, from: new Date('2026-01-01T00:00Z'), to: new Date('2026-06-01T00:00Z') };
  // The last business days of January to May 2026; 31 January and 28 February are Saturdays, 31 May a Sunday.
  const due = ['2026-01-30T17:00Z', '2026-02-27T17:00Z', '2026-03-31T16:00Z', '2026-04-30T16:00Z', '2026-05-29T16:00Z'];

  test('says when its occurrences are due', () => {
    expect(judged({ ...spring, rows: due.map((at) => row(at)) })).toEqual([]);
  });

  test('shows a row that is gone, one too many, and one that was moved by hand', () => {
    const rows = due.map((at) => row(at));
    expect(judged({ ...spring, rows: rows.slice(1) })).toEqual(['missing 2026-01-30T17:00']);
    expect(judged({ ...spring, rows: [...rows, row('2026-05-31T16:00Z')] })).toEqual(['unexpected 2026-05-31T16:00']);
    expect(judged({ ...spring, rows: [row('2026-01-31T17:00Z'), ...rows.slice(1)] })).toEqual([
      'missing 2026-01-30T17:00',
      'unexpected 2026-01-31T17:00',
    ]);
  });

  test('moves a date that had passed when it was saved', () => {
    const once: ScheduleSpec = { kind: 'once', at: '2026-01-31T17:00:00Z' };
    const late = [version({ schedule: once, calendars: use, effectiveAt: new Date('2026-01-30T18:00Z') })];
    expect(judged({ ...spring, versions: late, rows: [row('2026-01-30T17:00Z')] })).toEqual([]);
    expect(judged({ ...spring, versions: late, rows: [row('2026-01-29T17:00Z')] })).toHaveLength(1);
  });
});

describe('a pause', () => {
  const pauses = [{ fromAt: new Date('2026-12-24T00:00Z'), untilAt: new Date('2026-12-25T08:00Z') }];
  const asked = {
    versions: [version({})],
    pauses,
    from: new Date('2026-12-23T12:00Z'),
    to: new Date('2026-12-25T12:00Z'),
  };
  const decided = (at: string) =>
    row(at, {
      ...SKIPPED,
      reason: 'paused: run 01a205ea-be80-7311-bf4a-1c2150d2c4ac asked for its next run at 2026-12-24T09:00:00.000Z',
    });

  test('that a run had decided is forgotten after an hour, and its rows are taken at their word', () => {
    const rows = [decided('2026-12-24T08:00Z'), row('2026-12-25T08:00Z')];
    const asOf = (text: string) => ({ ...asked, pauses: [], rows, asOf: new Date(text) });
    expect(judged(asOf('2026-12-24T09:00Z'))).toContainEqual(expect.stringContaining('wrongly_skipped'));
    expect(judged(asOf('2026-12-25T09:01Z'))).not.toContainEqual(expect.stringContaining('wrongly_skipped'));
  });

  const paused = (at: string) => row(at, { ...SKIPPED, reason: 'paused: holidays' });

  test('ends before the instant it names', () => {
    expect(judged({ ...asked, rows: [paused('2026-12-24T08:00Z'), row('2026-12-25T08:00Z')] })).toEqual([]);
  });

  test('is not to be run through, and no reason where there is none', () => {
    expect(judged({ ...asked, rows: [row('2026-12-24T08:00Z'), paused('2026-12-25T08:00Z')] })).toEqual([
      'not_skipped 2026-12-24T08:00',
      'wrongly_skipped 2026-12-25T08:00',
    ]);
  });

  test('may not have been seen by what was starting just then', () => {
    const justNow = [{ fromAt: new Date('2026-12-24T08:00Z'), untilAt: null }];
    const rows = [row('2026-12-24T08:00Z'), paused('2026-12-25T08:00Z')];
    expect(judged({ ...asked, pauses: justNow, rows })).toEqual([]);
  });
});

const expression = fc.constantFrom('0 9 * * *', '30 2 * * *', '0 0 L * *', '15 1,13 1-7 * *', '0 22 * * 5');
const timeZone = fc.constantFrom('UTC', BERLIN, 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia');
const ENTRIES: CalendarSpec['entries'] = [
  { weekdays: ['SAT', 'SUN'] },
  { from: '12-20', to: '01-03' },
  { dates: ['10-25', '03-29'] },
  { hours: ['22-6'] },
  { weekdays: ['MON'], hours: ['00:30-12'] },
];

test('the oracle and the planner agree on what is moved and what is excluded (property)', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(
      fc.record({
        expression,
        timeZone,
        calendarZone: timeZone,
        entries: fc.subarray(ENTRIES, { minLength: 1, maxLength: 3 }),
        shift: fc.constantFrom('next' as const, 'previous' as const, undefined),
        workingDays: fc.option(fc.integer({ min: -5, max: 5 }), { nil: undefined, freq: 1 }),
        start: fc.integer({ min: 0, max: 2_000_000_000 }),
      }),
      ({ expression: cron, timeZone: zone, calendarZone, entries, shift, workingDays, start }) => {
        const schedule: ScheduleSpec = { kind: 'cron', expression: cron, timeZone: zone };
        const calendar: CalendarSpec = { timeZone: calendarZone, entries };
        const from = new Date(start * SECOND);
        const to = new Date(from.getTime() + 60 * DAY + 7 * HOUR + 11 * MINUTE);
        const use = { exclude: [calendar], shift, workingDayOffset: shift && workingDays };
        const expected = expectedFires({
          name: 't',
          versions: [version({ schedule, calendars: use, effectiveAt: new Date(0) })],
          from,
          to,
        });
        const { next, excluded: why } = occurrencesOf(parseSchedule(schedule), [parseCalendar('c', calendar)], use);
        const planned: LedgerRow[] = [];
        for (let at = next(from); at && at <= to; at = next(at))
          planned.push(row(at.toISOString(), why(at) === null ? {} : { ...SKIPPED, reason: why(at) }));
        expect(expected.map((at) => new Date(at).toISOString())).toEqual(planned.map(({ runId }) => runId.slice(7)));
        const versions = [version({ schedule, calendars: use, effectiveAt: new Date(0) })];
        expect(judged({ versions, rows: planned, from, to, asOf: to })).toEqual([]);
      },
    ),
    { numRuns: 100 },
  );
});

test('each version of a task that was renamed spreads `H` by the name that it had', () => {
  const schedule: ScheduleSpec = { kind: 'cron', expression: 'H H * * *', timeZone: 'UTC' };
  const [from, at, to] = ['2026-03-01', '2026-03-03', '2026-03-05'].map((day) => new Date(`${day}T00:00:00Z`));
  if (!from || !at || !to) throw new Error('no fixture');
  const versions = [
    version({ name: 'before', schedule, endedAt: at }),
    version({ version: 2, name: 'after', schedule, effectiveAt: at }),
  ];
  const of = (name: string, [first, last]: [Date, Date]) =>
    expectedFires({ name, versions: [version({ schedule })], from: first, to: last });
  const expected = [...of('before', [from, at]), ...of('after', [at, to])];
  expect(expected).toHaveLength(4);
  expect(of('before', [at, to])).not.toEqual(of('after', [at, to]));
  expect(expectedFires({ name: 'after', versions, from, to })).toEqual(expected);
});
