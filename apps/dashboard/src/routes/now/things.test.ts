import { expect, test } from 'vitest';
import { isCut, type Known, thingsOf, unreadOf } from './things.ts';

const AT = '2026-11-28T12:00:00Z';
const alert = (
  kind: string,
  taskName: string | null,
  runs: Known['alerts'][number]['runs'] = [],
): Known['alerts'][number] => ({
  ...{ id: `${kind} ${taskName}`, rule: kind, kind, severity: 'critical', taskName, labels: {}, state: 'firing' },
  ...{
    summary: `${taskName} ${kind}`,
    why: [],
    runs,
    seen: 1,
    since: AT,
    firedAt: AT,
    acknowledgedAt: null,
    acknowledgedBy: null,
  },
  ...{ note: null, resolvedAt: null, resolvedWhy: null, muted: null, notified: [] },
});
const error = (fingerprint: string, names: string[], taskCount = names.length): Known['errors'][number] => ({
  ...{
    fingerprint,
    name: null,
    message: 'order #',
    example: 'order 17',
    frame: null,
    count: 2,
    firstAt: AT,
    lastAt: AT,
  },
  ...{
    firstSeenAt: AT,
    firstRelease: null,
    releaseBefore: null,
    lastRunId: 'a-run',
    tasks: names.map((name) => ({ name, count: 1 })),
    taskCount,
    hours: [],
  },
  ...{ state: 'open', status: null },
});
const fleet: Known['fleet'] = {
  ...{ plannerPassAgeMs: 1, plannerLagMs: 0, unplannable: 0, held: 0, unknown: 0, keysWaitedFor: 0, slotsHeld: 0 },
  ...{ deliveriesPending: 0, alertsFiring: 0, frozen: false, schedulers: 1, queueBlocks: [] },
  pools: [
    {
      ...{ pool: 'default', queued: 0, overdue: 0, longestMs: 0, running: 0, waiting: 0, withoutCode: 0, workers: 1 },
      expectedWorkers: null,
      paused: false,
    },
  ],
};
const known = (more: Partial<Known> = {}): Known => ({
  ...{ fleet, alerts: [], redisAway: null, errors: [], tasks: [], stuck: [], findings: [], missed: 0, quarantined: 0 },
  neverFire: { names: [], more: false },
  unread: { alerts: 0, errors: 0, tasks: false },
  ...more,
});
const wordsOf = (more: Partial<Known>) => thingsOf(known(more)).map(({ words }) => words);

test('a failure that an alert tells of is one thing; that of another task is another', () => {
  const alerts = [alert('failed', 'import')];
  expect(wordsOf({ alerts, errors: [error('1', ['import'])] })).toEqual(['import failed']);
  expect(wordsOf({ alerts, errors: [error('1', ['import', 'mail'])] })).toHaveLength(2);
  // Of the others it is not known whether an alert tells of them.
  expect(wordsOf({ alerts, errors: [error('1', ['import'], 11)] })).toHaveLength(2);
  expect(wordsOf({ alerts: [alert('late', 'import')], errors: [error('1', ['import'])] })).toHaveLength(2);
});

test('an error is told as it was last said, with its numbers', () => {
  expect(wordsOf({ errors: [error('1', ['import'])] })).toEqual(['import failed 2 times: order 17']);
});

test('each thing has a place where its evidence is', () => {
  const away = { ...fleet, schedulers: 0, frozen: true };
  const finding = { subject: 'Postgres', level: 'problem', detail: 'fsync is off' } as const;
  const things = thingsOf(known({ fleet: away, alerts: [alert('drift', null)], findings: [finding] }));
  expect(things.map(({ link }) => link.to)).toEqual(['/fleet', '/fleet', '/alerts', '/about']);
  const [failed] = thingsOf(known({ alerts: [alert('failed', 'import', [{ id: 'a-run', scheduledFor: AT }])] }));
  expect(failed?.link.to).toBe('/runs/$id');
});

test('that Redis is away is told once, first, and before it has lasted', () => {
  const redisAway = { ...alert('redis-away', null), state: 'pending' as const };
  const finding = { subject: 'Redis', level: 'problem', detail: 'it is away' } as const;
  const others = { alerts: [alert('late', 'import'), alert('redis-away', null)], findings: [finding] };
  const things = thingsOf(known({ ...others, redisAway }));
  expect(things.map(({ words }) => words)).toEqual(['Redis does not answer: no run starts', 'import late']);
  expect(things[0]).toMatchObject({ since: AT, link: { to: '/fleet' } });
});

test('what was not read is counted, and is a thing of its own', () => {
  const pages = { tasks: { next: null }, errors: { items: [error('1', ['a'])], total: 4 } };
  const alerts = { items: [alert('failed', 'a'), { state: 'pending' as const }], next: 'more' };
  const unread = unreadOf({ fleet: { alertsFiring: 3 }, alerts, ...pages });
  expect(unread).toEqual({ alerts: 2, errors: 3, tasks: false });
  expect(isCut(known({ unread }))).toBe(true);
  expect(wordsOf({ unread })).toEqual(['2 more alerts fire', '3 more kinds of error are open']);
  // A page that is full, and has all of them.
  expect(unreadOf({ fleet: { alertsFiring: 1 }, alerts, ...pages }).alerts).toBe(0);
});

test('a run far beyond what is usual is a thing with a link to it, unless an alert says so', () => {
  const stuck = [{ id: 'a-run', taskName: 'import', startedAt: AT, usual: { p50Ms: 1000, p99Ms: 60_000, runs: 40 } }];
  const [thing] = thingsOf(known({ stuck }));
  expect(thing).toMatchObject({ words: 'import runs for far longer than usual', since: AT });
  expect([thing?.note, thing?.link.to]).toEqual(['99 of 100 runs take at most 1 min', '/runs/$id']);
  expect(wordsOf({ stuck, alerts: [alert('slow', 'import')] })).toEqual(['import slow']);
});

test('tasks that never fire are one thing, with a link to the list of them', () => {
  const neverFire = { names: ['leap-day', 'new-moon'], more: false };
  const [thing] = thingsOf(known({ neverFire }));
  expect(thing?.words).toBe('2 tasks never fire: leap-day and others');
  expect(thing?.link).toMatchObject({ to: '/tasks', search: { state: 'never_fires' } });
  expect(wordsOf({ neverFire: { names: ['leap-day'], more: false } })).toEqual(['leap-day never fires']);
  expect(wordsOf({ neverFire: { ...neverFire, more: true } })).toEqual([
    'More than 2 tasks never fire: leap-day and others',
  ]);
});
