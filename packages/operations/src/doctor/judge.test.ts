import type { DatabaseReport, LiveProcess } from '@escapement/store';
import { expect, test } from 'vitest';
import type { Finding } from './finding.ts';
import { judgeClock, judgeDatabase, judgeFleet, judgeMigrations, judgePartitions, judgeRedis } from './judge.ts';
import { judgeReceivers } from './judge-alerting.ts';

const DATABASE: DatabaseReport = {
  version: '18.4',
  versionNumber: 180_004,
  fsync: true,
  fullPageWrites: true,
  synchronousCommit: 'on',
  readOnly: false,
  now: new Date(0),
  overdue: 0,
  planErrors: 0,
  unplannable: [],
  pendingDeliveries: 0,
  saysPlace: true,
  movedAt: null,
  movedHow: null,
  strayed: {},
  blocked: [],
};
const REDIS = {
  version: '7',
  maxmemoryPolicy: 'noeviction',
  appendonly: true,
  hz: 10,
  role: 'master',
  cluster: false,
  clockOffsetMs: 0,
};
const SCHEDULER: LiveProcess = {
  id: 's',
  role: 'scheduler',
  host: 'h',
  pid: 1,
  appVersion: '1',
  pools: [],
  tzVersion: '2026a',
  heartbeatAgeMs: 100,
  plannedAgeMs: 200,
  clockOffsetMs: 0,
  activeRuns: 0,
};
const WORKER: LiveProcess = {
  ...SCHEDULER,
  id: 'w',
  role: 'worker',
  pools: ['default'],
  plannedAgeMs: null,
  activeRuns: 2,
};

const worse = (findings: Finding[]) => findings.filter(({ level }) => level !== 'ok');

test('a Postgres and a Redis that are well are well', () => {
  expect(worse(judgeDatabase(DATABASE))).toEqual([]);
  expect(worse(judgeRedis('Redis', REDIS, { allowEviction: false }))).toEqual([]);
  expect(judgeMigrations([]).level).toBe('ok');
});

test.each<[Partial<DatabaseReport>, RegExp]>([
  [{ fsync: false }, /fsync is off/],
  [{ fullPageWrites: false }, /full_page_writes is off/],
  [{ synchronousCommit: 'off' }, /synchronous_commit is off/],
  [{ readOnly: true }, /takes no writes/],
  [{ versionNumber: 140_009, version: '14.9' }, /14\.9 is too old/],
  [{ overdue: 3 }, /3 runs overdue/],
  [{ planErrors: 1, unplannable: [{ name: 'odd', why: 'no such zone' }] }, /^.*odd cannot be planned.*no such zone/],
  [{ planErrors: 2 }, /2 more tasks cannot be planned/],
])('Postgres with %j is a problem', (report, detail) => {
  expect(worse(judgeDatabase({ ...DATABASE, ...report }))).toEqual([
    expect.objectContaining({ level: 'problem', detail: expect.stringMatching(detail), fix: expect.any(String) }),
  ]);
});

test('a queue that another program has paused is a problem that says since when, and what helps', () => {
  const blocked = [{ queue: 'default+shell', kind: 'paused', since: '2026-01-01T00:00:00.000Z' }] as const;
  expect(worse(judgeDatabase({ ...DATABASE, blocked }))).toMatchObject([
    { subject: 'Queues', level: 'problem', fix: expect.stringContaining('pools resume default') },
  ]);
});

test('a session without its time limits is a problem that names them', () => {
  expect(worse(judgeDatabase({ ...DATABASE, strayed: { statement_timeout: '0' } }))).toMatchObject([
    { level: 'problem', detail: expect.stringContaining('statement_timeout is 0') },
  ]);
});

test('a ledger that has moved is told of for a week', () => {
  const moved = { ...DATABASE, movedAt: new Date(-1), movedHow: 'cluster' } as const;
  expect(worse(judgeDatabase(moved))).toMatchObject([
    { subject: 'Ledger', level: 'warning', detail: expect.stringContaining('1969-12-31T23:59:59') },
  ]);
  expect(worse(judgeDatabase({ ...moved, now: new Date(8 * 24 * 3600 * 1000) }))).toEqual([]);
  expect(judgeDatabase({ ...DATABASE, saysPlace: false })).toContainEqual(
    expect.objectContaining({ subject: 'Ledger', level: 'ok', detail: expect.stringContaining('is not noticed') }),
  );
});

test('a Redis that evicts is a problem, or a warning where it is allowed', () => {
  const evicting = { ...REDIS, maxmemoryPolicy: 'allkeys-lru' };
  expect(worse(judgeRedis('Redis', evicting, { allowEviction: false }))).toMatchObject([{ level: 'problem' }]);
  expect(worse(judgeRedis('Redis', evicting, { allowEviction: true }))).toMatchObject([{ level: 'warning' }]);
});

test('a Redis without its append-only file is worth a warning, a replica is a problem', () => {
  expect(worse(judgeRedis('Redis', { ...REDIS, appendonly: false }, { allowEviction: false }))).toMatchObject([
    { level: 'warning' },
  ]);
  expect(worse(judgeRedis('Redis', { ...REDIS, role: 'slave' }, { allowEviction: false }))).toMatchObject([
    { level: 'problem' },
  ]);
});

test('partitions that run short are worth a warning before anything has to wait for one', () => {
  expect(judgePartitions(21.4, [])).toMatchObject({ level: 'ok', detail: 'made for 21 days to come' });
  expect(judgePartitions(6.9, [])).toMatchObject({
    level: 'warning',
    detail: expect.stringContaining('6 days'),
    fix: expect.any(String),
  });
});

test('a clock may be off by so much', () => {
  expect(judgeClock('Postgres', -500, 500)).toMatchObject({
    level: 'ok',
    detail: expect.stringContaining('500 ms behind'),
  });
  expect(judgeClock('Postgres', 501, 500)).toMatchObject({ level: 'problem' });
});

test('a fleet needs a scheduler that plans, and a worker', () => {
  const judge = (processes: LiveProcess[], more: { mayHaveNoWorker?: boolean } = {}) =>
    worse(
      judgeFleet({
        processes,
        maxOffsetMs: 500,
        self: { id: 'this command', tzVersion: '2026a' },
        deadAfterMs: 10_000,
        ...more,
      }),
    ).map(({ detail }) => detail);
  expect(judge([SCHEDULER, WORKER])).toEqual([]);
  expect(judge([])).toEqual(['none is alive: nothing is planned', 'none is alive']);
  expect(judge([SCHEDULER], { mayHaveNoWorker: true })).toEqual([]);
  expect(judge([{ ...SCHEDULER, plannedAgeMs: 90_000 }, WORKER])).toEqual([
    '1 alive, but the last planner pass was 1 min 30 s ago',
  ]);
  expect(judge([{ ...SCHEDULER, plannedAgeMs: null }, WORKER])).toEqual([
    '1 alive, but no planner pass was ever completed',
  ]);
  expect(judge([SCHEDULER, { ...WORKER, clockOffsetMs: -700 }])).toEqual([
    "w is -700 ms off Postgres' clock and takes no work",
  ]);
  const silent = 'w (process 1 on h) has been silent for 12 s without a shutdown: taken for dead';
  expect(judge([SCHEDULER, { ...WORKER, heartbeatAgeMs: 12_000 }])).toEqual(['none is alive', silent]);
  expect(judge([SCHEDULER, WORKER, { ...WORKER, heartbeatAgeMs: 12_000 }])).toEqual([silent]);
  expect(judge([{ ...SCHEDULER, tzVersion: '2025c' }, WORKER, { ...WORKER, id: 'w2' }])).toEqual([
    expect.stringMatching(/: 2025c \(s\), 2026a \(w and 2 more\); a task may be due at other times/),
  ]);
});

test('somebody has to hear of failures', () => {
  const none = { count: 0, unreceived: [] };
  const ofTasks = (count: number, unreceived: string[]) =>
    judgeReceivers({ tasks: { count, unreceived }, monitors: none });
  expect(ofTasks(0, [])).toMatchObject([{ level: 'ok', detail: 'there is no task that could fail' }]);
  expect(ofTasks(3, [])).toMatchObject([{ level: 'ok', detail: expect.stringContaining('3 tasks') }]);
  expect(ofTasks(2, ['a', 'b'])).toMatchObject([{ level: 'warning', detail: expect.stringContaining('any task') }]);
  const names = Array.from({ length: 7 }, (_, index) => `t${index}`);
  expect(ofTasks(9, names)[0]?.detail).toContain('t0, t1, t2, t3, t4 and 2 more');
  expect(judgeReceivers({ tasks: none, monitors: { count: 2, unreceived: ['backup'] } })).toMatchObject([
    { level: 'ok' },
    { level: 'warning', detail: expect.stringContaining('where a ping is missing of backup (') },
  ]);
});
