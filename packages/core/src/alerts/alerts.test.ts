import { describe, expect, test } from 'vitest';
import { parseCalendar } from '../schedule/calendar/calendar.ts';
import { type Alerting, type AlertingInput, alertingSpec, DEFAULT_ALERTING } from './alerting.ts';
import { inhibits } from './inhibition.ts';
import { parseMatch } from './match.ts';
import { calendarsOfRoutes, isOpen, routesOutside } from './route-hours.ts';
import {
  alertLabels,
  type DefaultReceivers,
  destinationsOf,
  INBOX,
  receiverNamed,
  routesOf,
  webhookName,
} from './routing.ts';
import { rulesFor } from './rules-for.ts';

const failed = { kind: 'failed' } as const;
const of = (document: AlertingInput): Alerting => alertingSpec.parse(document);
const task = { name: 'billing', labels: { team: 'shop' }, pool: 'big' };
const names = (rules: readonly { name: string }[]) => rules.map(({ name }) => name);

describe('of the rules of a kind the narrowest count', () => {
  const all = { name: 'all', when: failed };
  const pool = { name: 'pool', when: failed, on: { pool: 'big' } };
  const labels = { name: 'labels', when: failed, on: { labels: { team: 'shop' } } };
  const one = { name: 'one', when: failed, on: { task: 'billing' } };
  test.each([
    [[all], ['all'], 'all'],
    [[all, pool], ['pool'], 'pool'],
    [[pool, labels, all], ['labels'], 'labels'],
    [[one, labels, pool, all], ['one'], 'task'],
    [[all, { ...one, enabled: false }], [], 'task'],
    [[{ ...labels, name: 'a' }, { ...labels, name: 'b' }, all], ['a', 'b'], 'labels'],
    [[{ ...one, on: { task: 'other' } }, all], ['all'], 'all'],
    [[{ ...labels, on: { labels: { team: 'shop', env: 'prod' } } }, all], ['all'], 'all'],
  ] as const)('%#', (rules, counting, level) => {
    const [found] = rulesFor(of({ rules: [...rules] }).rules, task);
    expect(found && names(found.rules)).toEqual(counting);
    expect(found?.level).toBe(level);
  });

  test('those of other kinds and of the fleet are apart', () => {
    const { rules } = of({
      rules: [
        one,
        { name: 'late', when: { kind: 'late', afterMs: 5000 } },
        { name: 'redis', when: { kind: 'redis-away' } },
      ],
    });
    expect(rulesFor(rules, task).map(({ kind }) => kind)).toEqual(['failed', 'late']);
  });
});

describe('hours of a route', () => {
  const berlin = { timeZone: 'Europe/Berlin' };
  test.each([
    [{ ...berlin, from: '08:00', to: '18:00' }, '2027-01-04T07:00:00Z', true],
    [{ ...berlin, from: '08:00', to: '18:00' }, '2027-01-04T06:59:59Z', false],
    [{ ...berlin, from: '08:00', to: '18:00' }, '2027-01-04T17:00:00Z', false],
    // Summer time: an hour earlier in UTC.
    [{ ...berlin, from: '08:00', to: '18:00' }, '2027-07-05T06:00:00Z', true],
    [{ ...berlin, from: '18:00', to: '08:00' }, '2027-01-04T06:59:00Z', true],
    // Friday night belongs to Friday.
    [{ ...berlin, days: [5], from: '18:00', to: '08:00' }, '2027-01-02T03:00:00Z', true],
    [{ ...berlin, days: [6], from: '18:00', to: '08:00' }, '2027-01-02T03:00:00Z', false],
    [{ ...berlin, days: [7] }, '2027-01-03T12:00:00Z', true],
    [berlin, '2027-01-03T12:00:00Z', true],
  ])('%j at %s: %s', (hours, at, open) => {
    expect(isOpen(hours, new Date(at))).toBe(open);
  });
});

describe('a route that a calendar closes', () => {
  const holidays = parseCalendar('holidays', {
    timeZone: 'Europe/Berlin',
    entries: [{ name: 'New Year', dates: ['01-01'] }],
  });
  const { routes } = alertingSpec.parse({
    rules: [],
    receivers: { office: { type: 'inbox' }, duty: { type: 'inbox' } },
    routes: [
      { hours: { timeZone: 'Europe/Berlin', exclude: ['holidays'] }, receivers: ['office'] },
      { receivers: ['duty'] },
    ],
  });
  const taken = (at: string, calendars = [holidays]) =>
    routesOf(routesOutside(routes, calendars, new Date(at)), {}, new Date(at)).flatMap(({ receivers }) => receivers);

  test('is not open then, by the clock of the calendar, and the next one takes the alert', () => {
    expect(taken('2026-12-31T22:59:59Z')).toEqual(['office']);
    expect(taken('2026-12-31T23:00:00Z')).toEqual(['duty']);
    expect(taken('2027-01-01T23:00:00Z')).toEqual(['office']);
  });

  test('is open where the calendar is gone', () => {
    expect(taken('2027-01-01T12:00:00Z', [])).toEqual(['office']);
    expect(calendarsOfRoutes(routes)).toEqual(['holidays']);
  });
});

describe('where an alert goes', () => {
  const NOW = new Date('2027-01-04T12:00:00Z');
  const none: DefaultReceivers = { email: [], webhook: [] };
  const labels = alertLabels({ name: 'failed', when: failed, severity: 'critical' }, { task });
  const alerting = of({
    rules: [],
    receivers: { ops: { type: 'inbox' }, shop: { type: 'inbox' }, night: { type: 'inbox' } },
    routes: [
      { match: 'severity=critical', hours: { timeZone: 'UTC', from: '20:00', to: '06:00' }, receivers: ['night'] },
      { match: 'team=shop|mail,kind=failed', receivers: ['shop'], continue: true, groupBy: ['rule', 'team'] },
      { receivers: ['ops', 'shop'] },
    ],
  });
  const to = (notify: Parameters<typeof destinationsOf>[1]['notify'], at = NOW, given = alerting, defaults = none) =>
    destinationsOf(given, { labels, notify }, defaults, at).map(({ receiver, group }) => `${receiver} ${group}`);

  test('the routes in order, each receiver once', () => {
    expect(to(null)).toEqual(['shop rule=failed,team=shop', 'ops rule=failed']);
    expect(to(null, new Date('2027-01-04T23:00:00Z'))).toEqual(['night rule=failed']);
  });

  test('the task itself comes first, and may want silence', () => {
    expect(to({ email: ['ann@example.com'], webhook: ['https://example.com/x'] })).toEqual([
      'email:ann@example.com rule=failed',
      `${webhookName('https://example.com/x')} rule=failed`,
    ]);
    expect(to({ none: true })).toEqual([]);
  });

  test('then those of the fleet, then the inbox', () => {
    const empty = of({ rules: [] });
    expect(to(null, NOW, empty, { email: ['ops@example.com'], webhook: [] })).toEqual([
      'email:ops@example.com rule=failed',
    ]);
    expect(to(null, NOW, empty)).toEqual(['inbox rule=failed']);
  });

  test('who a name is', () => {
    const urls = ['https://example.com/other', 'https://example.com:8/x'];
    const nameOf = (name: string) => receiverNamed(alerting, name, urls);
    expect(nameOf('ops')).toEqual({ type: 'inbox' });
    expect(nameOf(INBOX)).toEqual({ type: 'inbox' });
    expect(nameOf('email:a@b.example')).toEqual({ type: 'email', to: ['a@b.example'] });
    expect(nameOf(webhookName('https://example.com:8/x'))).toEqual({ type: 'webhook', url: 'https://example.com:8/x' });
    expect(nameOf(webhookName('https://example.com/gone'))).toBeUndefined();
    expect(nameOf('toString')).toBeUndefined();
    expect(webhookName('https://example.com/services/secret')).not.toContain('secret');
  });
});

describe('a wider cause', () => {
  const alert = (kind: Parameters<typeof inhibits>[0]['kind'], labels: Record<string, string> = {}) => ({
    kind,
    labels,
  });
  test.each([
    [alert('redis-away'), alert('late', { task: 'a', pool: 'big' }), true],
    [alert('redis-away'), alert('failed', { task: 'a', pool: 'big' }), false],
    [alert('no-worker', { pool: 'big' }), alert('no-success', { task: 'a', pool: 'big' }), true],
    [alert('no-worker', { pool: 'big' }), alert('no-success', { task: 'a', pool: 'small' }), false],
    [alert('failed', { task: 'a' }), alert('no-success', { task: 'a' }), true],
    [alert('failed', { task: 'b' }), alert('no-success', { task: 'a' }), false],
    [alert('failed', { task: 'a' }), alert('failed', { task: 'a' }), false],
    [alert('planner-silent'), alert('no-worker', { pool: 'big' }), true],
  ])('%#', (cause, other, muted) => expect(inhibits(cause, other)).toBe(muted));
});

describe('the document', () => {
  test('the defaults are one, and there is a rule for failures in them', () => {
    expect(alertingSpec.parse(JSON.parse(JSON.stringify(DEFAULT_ALERTING)))).toEqual(DEFAULT_ALERTING);
    expect(rulesFor(DEFAULT_ALERTING.rules, task).map(({ kind }) => kind)).toContain('failed');
  });

  test.each<[AlertingInput, string]>([
    [
      {
        rules: [
          { name: 'x', when: failed },
          { name: 'x', when: failed },
        ],
      },
      'another rule is called x',
    ],
    [{ rules: [], routes: [{ receivers: ['nobody'] }] }, 'there is no receiver nobody'],
    [{ rules: [{ name: 'x', when: { kind: 'failed', of: { failures: 5, runs: 3 } } }] }, 'it would never fire'],
    [
      { rules: [{ name: 'x', when: { kind: 'failed', inARow: 2, of: { failures: 1, runs: 3 } } }] },
      'either inARow or of',
    ],
    [{ rules: [{ name: 'x', when: { kind: 'suspicious' } }] }, 'at least one bound'],
    [{ rules: [{ name: 'x', when: failed, forMs: 1000 }] }, 'failed does not last'],
    [{ rules: [{ name: 'x', when: { kind: 'not-started-by', at: '6', timeZone: 'UTC' } }] }, 'HH:MM'],
    [{ rules: [{ name: 'x', when: { kind: 'not-started-by', at: '06:00', timeZone: 'Mars' } }] }, 'Mars'],
    [{ rules: [{ name: 'x', when: { kind: 'not-started-by', at: '00:00', timeZone: 'UTC' } }] }, 'a later time'],
    [{ rules: [{ name: 'x', when: { kind: 'slow' } }] }, 'afterMs, timesP95 or both'],
    [{ rules: [{ name: 'x', when: failed, on: { task: 'a', pool: 'b' } }] }, 'one of task, monitor, labels and pool'],
    [{ rules: [], routes: [{ match: 'no equals', receivers: [] }] }, 'selects no alerts'],
    [{ rules: [], routes: [{ hours: { timeZone: 'Mars/Base' }, receivers: [] }] }, 'Mars/Base'],
  ])('%#: %s', (document, message) => {
    const { error } = alertingSpec.safeParse(document);
    expect(error?.issues.map((issue) => issue.message).join('; ')).toContain(message);
  });

  test('names of tasks can be matched, whatever they are made of', () => {
    expect(parseMatch('task=a@b:c/d_e-1|f,rule=failed').terms).toEqual([
      { key: 'task', values: ['a@b:c/d_e-1', 'f'] },
      { key: 'rule', values: ['failed'] },
    ]);
    for (const bad of ['', 'task', 'task=', 'task=a,task=b', 'x=a b', `task=${'a'.repeat(3000)}`])
      expect(() => parseMatch(bad)).toThrow(expect.objectContaining({ code: 'bad_match' }));
  });
});
