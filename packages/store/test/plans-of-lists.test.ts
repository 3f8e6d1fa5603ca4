import { randomUUID } from 'node:crypto';
import { newRunId, OPEN_STATES, systemClock } from '@escapement/core';
import { testDatabase } from '@escapement/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  actionsOfRequest,
  actionsSince,
  auditEntries,
  changeDigests,
  changesAfter,
  countFailures,
  countRuns,
  errorStatuses,
  findRun,
  latestChange,
  listAlerts,
  listDeliveries,
  listKeySlots,
  listProcesses,
  listRequests,
  listRuns,
  listTasksById,
  lookedBackTo,
  marksOf,
  poolDemand,
  ratesOfKey,
  rateTurn,
  readAttempts,
  readAuditLog,
  readFollowers,
  readLogs,
  readPools,
  readRunTree,
  readWorkers,
  recentRuns,
  releasesOfFailures,
  runsOfFingerprint,
  runsUnderWay,
  TASK_ORDERS,
  taskOutcomes,
  taskPage,
  ungroupedFailures,
  whatHoldsBack,
  whatRunHas,
  whyFailed,
} from '../src/index.ts';
import { expectIndexed, nodesOf, openExplained, pagesOf, rowsReadBy } from './explained.ts';

const TASKS = 10_000;
const PAUSED = 1000;
const WITHOUT_NEXT = 200;
const NEVER_FIRE = 20;
const RUNS = 60_000;
const OF_THIS_WEEK = RUNS / 6;
const ROWS = 60_000;
const LIMIT = 50;
const DAY = 86_400_000;
const WEEK = 7 * DAY;

const { db, plansOf } = await openExplained(await testDatabase());
afterAll(() => db.close());

const now = systemClock.now();
const weekBegan = Math.floor(now.getTime() / WEEK) * WEEK;
/** A part of the runs is of this week, however young it is: a partition of a page would be read whole, and rightly so. */
const at = (index: number) =>
  new Date(
    index < OF_THIS_WEEK
      ? now.getTime() - (index * (now.getTime() - weekBegan)) / OF_THIS_WEEK
      : weekBegan - ((index - OF_THIS_WEEK) * 28 * DAY) / RUNS,
  );
/** Of the runs, which are made in this order. */
const idOf = (index: number) => newRunId(at(index), new Uint8Array(10));
const taskId = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

beforeAll(async () => {
  for (let day = 28; day >= 0; day -= 7)
    await db.pool.query('SELECT make_partition($1, $2)', ['run', new Date(now.getTime() - day * DAY).toISOString()]);
  const link = await db.pool.connect();
  await link.query('SET session_replication_role = replica; SET auto_explain.log_min_duration = -1');
  for (const [statement, ...values] of FILL) await link.query(String(statement), values);
  await link.query('RESET session_replication_role; RESET auto_explain.log_min_duration');
  link.release();
  await db.pool.query('VACUUM ANALYZE');
}, 120_000);

const FEW = { limit: LIMIT, ungrouped: [] };

/** One statement by name, and how many rows it may be said to be about. */
const LISTS: readonly [name: string, list: (round: number) => Promise<unknown>, members: number][] = [
  ['runs', () => listRuns(db, { limit: LIMIT, until: now }), LIMIT],
  ['runs of a task', (n) => listRuns(db, { taskName: `task-${n}`, limit: LIMIT }), LIMIT],
  ['runs by state', () => listRuns(db, { states: ['failed'], limit: LIMIT }), LIMIT],
  ['runs of a key', (n) => listRuns(db, { key: `task-${n}`, limit: LIMIT }), LIMIT],
  [
    'runs by words',
    () => listRuns(db, { error: 'nowhere', since: new Date(now.getTime() - DAY), limit: LIMIT }),
    LIMIT,
  ],
  [
    'how far back it was looked',
    () => lookedBackTo(db, { error: 'nowhere', states: ['timed_out'], limit: LIMIT }),
    LIMIT,
  ],
  ['runs by words, whenever', () => listRuns(db, { error: 'nowhere', states: ['timed_out'], limit: LIMIT }), LIMIT],
  ['runs by origin', () => listRuns(db, { origins: ['rerun'], limit: LIMIT, until: new Date(weekBegan) }), LIMIT],
  ['counts of what goes on', () => countRuns(db, { limit: LIMIT }, ['queued', 'running', 'retrying']), LIMIT],
  ['counts of what failed', () => countRuns(db, { limit: LIMIT }, ['failed']), LIMIT],
  ['failures', () => countFailures(db, { since: new Date(0) }, { limit: LIMIT, ungrouped: [] }), LIMIT],
  ['failures of a task', (n) => countFailures(db, { since: new Date(0), taskName: `task-${50 * n}` }, FEW), LIMIT],
  ['runs that failed alike', (n) => runsOfFingerprint(db, fingerprint(n), { since: new Date(0) }, FEW), LIMIT],
  ['failures that nobody has looked at', () => ungroupedFailures(db, LIMIT), LIMIT],
  ['why they failed', (n) => whyFailed(db, [idOf(50 * n)]), 10],
  ['in which release they failed', (n) => releasesOfFailures(db, [idOf(50 * n), idOf(50 * n + 50)]), 10],
  ['what was said of errors', (n) => errorStatuses(db, [fingerprint(n)]), 1],
  ['a run', (n) => findRun(db, idOf(n)), 10],
  ['what it has', (n) => whatRunHas(db, idOf(n)), 10],
  ['its attempts', (n) => readAttempts(db, idOf(n)), 10],
  ['its marks', (n) => marksOf(db, [idOf(n)]), 10],
  ['its log', (n) => readLogs(db, idOf(n), { limit: LIMIT }), LIMIT],
  ['its tree', (n) => readRunTree(db, idOf(n)), 10],
  ['its followers', (n) => readFollowers(db, idOf(n)), 10],
  ['its turn', (n) => rateTurn(db, idOf(n)), 10],
  ['what holds it back', (n) => whatHoldsBack(db, { runId: idOf(n), scheduledFor: at(n) }), 10],
  ['what people did to it', (n) => auditEntries(db, { run: idOf(n) }), 10],
  ['tasks by id', () => listTasksById(db, [1, 2, 3].map(taskId)), 10],
  ['their latest runs', () => recentRuns(db, [1, 2, 3].map(taskId), 30), LIMIT],
  [
    'what became of its runs',
    (n) =>
      taskOutcomes(db, {
        taskId: taskId(n + 1),
        since: new Date(now.getTime() - 30 * DAY),
        by: 'day',
        timeZone: 'UTC',
      }),
    LIMIT,
  ],
  ['tasks by name', () => taskPage(db, {}, { ...PAGE, order: 'name' }), LIMIT],
  ['the page behind', (n) => taskPage(db, {}, { ...PAGE, order: 'name', after: placeOf(n) }), LIMIT],
  ['keys that are held', () => listKeySlots(db, { busy: true, limit: LIMIT }), LIMIT],
  ['keys', () => listKeySlots(db, { limit: LIMIT }), LIMIT],
  ['rates of a key', (n) => ratesOfKey(db, `task-${n}`), 10],
  ['workers', () => readWorkers(db, { withinMs: 10_000 }), 10],
  ['schedulers', () => listProcesses(db, { withinMs: 10_000 }), 10],
  ['audit', () => readAuditLog(db, { limit: LIMIT }), LIMIT],
  ['audit of a subject', (n) => readAuditLog(db, { subject: `task:task-${n}`, limit: LIMIT }), LIMIT],
  ['audit of a person', () => readAuditLog(db, { principal: 'seldom', limit: LIMIT }), LIMIT],
  ['audit of nobody', () => readAuditLog(db, { principal: 'nobody', limit: LIMIT }), LIMIT],
  ['audit by action', () => readAuditLog(db, { action: 'freeze', limit: LIMIT }), LIMIT],
  ['audit of a day', () => readAuditLog(db, { since: new Date(now.getTime() - DAY), limit: LIMIT }), LIMIT],
  ['audit of a day long ago', () => readAuditLog(db, { ...LONG_AGO, limit: LIMIT }), LIMIT],
  ['what an act did', () => actionsOfRequest(db, { requestId: randomUUID(), afterId: null, limit: LIMIT }), LIMIT],
  ['what was refused', () => readAuditLog(db, { refused: true, limit: LIMIT }), LIMIT],
  ['alerts', () => listAlerts(db, { limit: LIMIT }), LIMIT],
  ['alerts of the past', () => listAlerts(db, { states: ['pending', 'firing', 'resolved'], limit: LIMIT }), LIMIT],
  ['messages', () => listDeliveries(db, { limit: LIMIT }), LIMIT],
  ['messages to one', () => listDeliveries(db, { receiver: 'seldom', limit: LIMIT }), LIMIT],
  ['jobs', () => listRequests(db, LIMIT), LIMIT],
  ['jobs behind', () => listRequests(db, LIMIT, { beforeId: randomUUID() }), LIMIT],
  ['what a pool has to do', () => poolDemand(db, 'default', { leadMs: 60_000 }), 60],
  ['changes', async () => changesAfter(db, (await latestChange(db)) - 10, LIMIT), LIMIT],
  ['runs under way', () => runsUnderWay(db, LIMIT), LIMIT],
  ['acts of late', () => actionsSince(db, new Date(now.getTime() - 5000), LIMIT), LIMIT],
  ['digests', () => changeDigests(db, { deadMs: 10_000, committedMs: 5000, lateMs: 60_000 }), LIMIT],
];

it.each(LISTS)('%s: few rows are read beside those that are shown', async (_, list, members) => {
  expectIndexed(await plansOf(list), members);
});

it('runs by words that many have: no more are looked through than there are on the page', async () => {
  for (const plan of await plansOf(() => listRuns(db, { error: 'because', states: ['failed'], limit: LIMIT })))
    expect(pagesOf(plan)).toBeLessThan(12 * LIMIT);
});

it('states that few runs have are counted by an index alone', async () => {
  for (const plan of await plansOf(() => countRuns(db, { limit: RUNS }, ['failed', 'missed', 'held']))) {
    expect(nodesOf(plan).filter((node) => node['Node Type'] === 'Index Scan')).toEqual([]);
    expect(pagesOf(plan)).toBeLessThan(RUNS / 50 / 10);
  }
});

it('tasks that are due next, and those of states that few have: pauses may be read as a whole, tasks are not, and few are looked at', async () => {
  const lists = [
    () => taskPage(db, { states: ['active'] }, { ...PAGE, order: 'next' }),
    () => taskPage(db, { states: ['paused', 'unplannable'] }, { ...PAGE, order: 'name' }),
    () => taskPage(db, { states: ['never_fires'] }, { ...PAGE, order: 'name' }),
  ];
  for (const list of lists)
    for (const plan of await plansOf(list)) {
      const scans = nodesOf(plan).filter((node) => node['Node Type'] === 'Seq Scan' && pagesOf(node) > 0);
      expect(scans.filter((node) => node['Relation Name'] !== 'task_pause')).toEqual([]);
      // Of each task that has a pause, its row, its pauses and its plan: eight or nine pages.
      expect(pagesOf(plan)).toBeLessThan(10 * PAUSED);
    }
});

it('orders and searches of tasks, and the counts of pools, read tasks, their plans and pauses alone, and each once', async () => {
  const lists = [
    ...TASK_ORDERS.map((order) => () => taskPage(db, {}, { ...PAGE, order, descending: true })),
    () => taskPage(db, { labels: [], states: ['paused'] }, { ...PAGE, order: 'name' }),
    () => readPools(db, { deadMs: 10_000 }),
  ];
  const { rows } = await db.pool.query<{ pages: number }>(
    `SELECT sum(relpages)::integer AS pages FROM pg_class WHERE relname IN ('task', 'task_plan')`,
  );
  // A task's pauses are looked up twice, by an index: those until further notice, and those of a run.
  const most = (rows[0]?.pages ?? 0) * 5;
  for (const list of lists)
    for (const plan of await plansOf(list)) {
      const scanned = nodesOf(plan).filter((node) => node['Node Type'] === 'Seq Scan' && pagesOf(node) > 4);
      expect(new Set(scanned.map((node) => node['Relation Name'] ?? ''))).toSatisfy(isOfTasks);
      expect(pagesOf(plan)).toBeLessThan(most);
    }
});

it('a search in the order of what is due next looks at the tasks up to the end of the page, by their ids', async () => {
  const plans = await plansOf(() => taskPage(db, { name: '*77*' }, { ...PAGE, order: 'next' }));
  // The fiftieth of 10,000 whose number has two sevens in a row is the 2,775th or so.
  for (const plan of plans) expect(pagesOf(plan)).toBeLessThan(3 * 3000);
});

it('tasks that never fire are found among those without a next occurrence', async () => {
  const found = await taskPage(db, { states: ['never_fires'] }, { ...PAGE, order: 'name' });
  expect(found.length).toBe(NEVER_FIRE);
});

/** Runs that are planned ahead, the next first. */
let ahead: string[] = [];

it('beside thousands of runs that are planned ahead, lists go through these and no more', async () => {
  const link = await db.pool.connect();
  await link.query('SET session_replication_role = replica; SET auto_explain.log_min_duration = -1');
  const due = Array.from({ length: AHEAD }, (_, n) => new Date(now.getTime() + 10 * n));
  ahead = due.map((at) => newRunId(at));
  await link.query(PLAN_AHEAD, [ahead, due.map((at) => at.toISOString()), taskId(77)]);
  await link.query('RESET session_replication_role; RESET auto_explain.log_min_duration');
  await link.query('VACUUM ANALYZE run');
  link.release();
  // Some tasks, and more than are asked each for its own before anything else.
  for (const prefix of ['12', '1']) {
    const numbers = Array.from({ length: RUNS }, (_, index) => index).filter((index) =>
      String(1 + ((index + 1) % TASKS)).startsWith(prefix),
    );
    const latest = numbers.sort((one, other) => at(other).getTime() - at(one).getTime()).slice(0, LIMIT);
    const listed = await listRuns(db, { tasksLike: [`task-${prefix}*`], limit: LIMIT });
    expect(listed.map(({ id }) => id)).toEqual(latest.map(idOf));
  }
  expect(await listRuns(db, { tasksLike: ['nobody*'], limit: LIMIT })).toEqual([]);
  const lists = [
    () => listRuns(db, { states: [...OPEN_STATES], limit: LIMIT }),
    (n: number) => listRuns(db, { key: `task-${n}`, limit: LIMIT }),
    () => countRuns(db, { since: new Date(now.getTime() - DAY), limit: RUNS }, [...OPEN_STATES]),
    (n: number) => countRuns(db, { taskName: `task-${n}`, limit: RUNS }, [...OPEN_STATES]),
    () => readPools(db, { deadMs: 10_000 }),
    () => listRuns(db, { tasksLike: ['task-12*'], limit: LIMIT }),
  ];
  for (const list of lists)
    for (const plan of await plansOf(list)) {
      const read = nodesOf(plan).filter((node) => node['Relation Name']?.startsWith('run'));
      expect(read.reduce((sum, node) => sum + rowsReadBy(node), 0)).toBeLessThan(1.1 * AHEAD);
    }
});

it('of several tasks one may have thousands of runs: of these no more are read than are shown', async () => {
  const listed: string[] = [];
  const plans = await plansOf(async () => {
    const runs = await listRuns(db, { tasksLike: ['task-77*'], limit: LIMIT });
    listed.splice(0, listed.length, ...runs.map(({ id }) => id));
  });
  expect(listed).toEqual(ahead.slice(-LIMIT).reverse());
  for (const plan of plans) {
    const read = nodesOf(plan).filter((node) => node['Relation Name']?.startsWith('run'));
    expect(read.reduce((sum, node) => sum + rowsReadBy(node), 0)).toBeLessThan(AHEAD / 4);
  }
});

/** Planned for the next minutes, of one task. */
const AHEAD = 6000;
const PLAN_AHEAD = `
  INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, key, key_limit, overlap, pool, due_at, dispatch)
  SELECT i.id, i.at, 'default', $3, 1, 1, 'schedule', 'planned', 'ahead-' || n, 1, 'skip', 'default', i.at, 0
  FROM unnest($1::uuid[], $2::timestamptz[]) WITH ORDINALITY AS i(id, at, n)`;

const isOfTasks = (relations: ReadonlySet<string>) =>
  [...relations].every((name) => ['task', 'task_pause', 'task_plan'].includes(name));
const PAGE = { descending: false, after: null, limit: LIMIT } as const;
const placeOf = (n: number) => ({ value: `task-${5000 + n}`, id: taskId(5000 + n) });
const fingerprint = (n: number) => n.toString(16).padStart(16, '0');
const LONG_AGO = { since: new Date(now.getTime() - 20 * DAY), until: new Date(now.getTime() - 19 * DAY) };

const UUID_OF_N = `('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
const N = 'FROM generate_series(1, $1::integer) AS n';

const FIRST_DEPLOYMENT = 1000;

const FILL: readonly (readonly [string, ...unknown[]])[] = [
  [
    `INSERT INTO task (id, name, definition, schedule, key_template, key_limit, overlap, pool, source, effective_at)
     SELECT ${UUID_OF_N}, 'task-' || n, jsonb_build_object('name', 'task-' || n, 'schedule',
       jsonb_build_object('kind', 'manual'), 'handler', jsonb_build_object('type', 'shell', 'command', 'true')), '{"kind":"manual"}', 'task-' || n, 1, 'skip', 'default', 'test', now() ${N}`,
    TASKS,
  ],
  [
    `INSERT INTO task_plan (task_id, namespace, next_run_at) SELECT ${UUID_OF_N}, 'default', now() + n * interval '1 s' ${N}`,
    TASKS,
  ],
  // The last tasks have no next occurrence: most run by hand, and some have a schedule that never fires.
  ['UPDATE task_plan SET next_run_at = NULL WHERE task_id > $1', taskId(TASKS - WITHOUT_NEXT)],
  [
    `UPDATE task SET schedule = '{"kind":"cron","expression":"0 0 30 2 *","timeZone":"UTC"}' WHERE id > $1`,
    taskId(TASKS - NEVER_FIRE),
  ],
  [`INSERT INTO task_pause (task_id, from_at, created_by) SELECT id, now(), 'test' FROM task LIMIT $1`, PAUSED],
  [
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool, due_at,
       dispatch, attempt, slot, fence, worker, started_at, finished_at)
     SELECT i.id, i.at, 'default', ('00000000-0000-4000-8000-' || lpad(to_hex(1 + i.n % ${TASKS}), 12, '0'))::uuid, 1, 1, 'schedule', i.state,
       CASE WHEN i.state = 'failed' THEN 'because' END, 'task-' || 1 + i.n % ${TASKS}, 1, 'skip', 'default', i.at, 1, 1, 1, 1, 'worker-1', i.at,
       CASE WHEN i.state <> 'running' THEN i.at + interval '1 s' END
     FROM (SELECT id, at, n, CASE WHEN n < 20 THEN 'running' WHEN n % 50 = 0 THEN 'failed' ELSE 'succeeded' END AS state
       FROM unnest($1::uuid[], $2::timestamptz[]) WITH ORDINALITY AS i(id, at, n)) i`,
    Array.from({ length: RUNS }, (_, index) => idOf(index)),
    Array.from({ length: RUNS }, (_, index) => at(index).toISOString()),
  ],
  [
    `INSERT INTO key_slot (namespace, key, slot, fence, run_id, run_scheduled_for)
     SELECT 'default', 'task-' || n, 1, 1, r.id, r.scheduled_for ${N} LEFT JOIN run r ON r.state = 'running' AND r.key = 'task-' || n`,
    ROWS,
  ],
  [
    `INSERT INTO audit (namespace, at, principal_kind, principal_id, principal_name, action, subject, refused)
     SELECT 'default', now() - (1 - n::float8 / $1) * interval '300 days', 'user', who, who,
       CASE WHEN n % 20000 = 1 THEN 'freeze' ELSE 'trigger' END, 'task:task-' || n % ${TASKS}, n % 10000 = 1
     FROM (SELECT n, CASE WHEN n % 20000 = 1 THEN 'seldom' ELSE 'often' END AS who ${N}) acts`,
    ROWS,
  ],
  [
    `INSERT INTO alert (namespace, rule, kind, severity, subject, labels, state, summary, since, last_at, fire_at, resolved_at)
     SELECT 'default', 'failed', 'failures', 'warning', 's' || n, '{}', CASE WHEN n % 1000 = 0 THEN 'firing' ELSE 'resolved' END, 'it failed',
       now(), now(), now(), CASE WHEN n % 1000 > 0 THEN now() END ${N}`,
    ROWS / 3,
  ],
  [
    `INSERT INTO delivery (namespace, receiver, alert_group, alerts, repeated, state, try_at)
     SELECT 'default', CASE WHEN n % 10000 = 1 THEN 'seldom' ELSE 'often' END, 'g' || n, '{}', false, 'sent', now() ${N}`,
    ROWS / 3,
  ],
  [
    `INSERT INTO request (namespace, request, asked_by, asked_at, expires_at, answered_at, answer, progress)
     SELECT 'default', '{"kind":"leases"}', '{}', now() - n * interval '1 s', now(), now(), '{}',
       CASE WHEN n % 1000 = 1 THEN '{}'::jsonb END ${N}`,
    ROWS / 3,
  ],
  [
    `INSERT INTO failure (namespace, run_id, scheduled_for, task_id, finished_at, fingerprint, deployment_id)
     SELECT namespace, id, scheduled_for, task_id, finished_at, lpad(to_hex(n % $1), 16, '0'), CASE WHEN n % 2 = 0 THEN ${FIRST_DEPLOYMENT} + n % $1 END
     FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM run WHERE state = 'failed') failed`,
    ROWS / 600,
  ],
  [
    `INSERT INTO deployment (id, namespace, app, release, fingerprint, whole, tasks) OVERRIDING SYSTEM VALUE
     SELECT ${FIRST_DEPLOYMENT} + n, 'default', 'shop', 'r' || n, 'f' || n, true, '{}' ${N}`,
    ROWS / 10,
  ],
  [`INSERT INTO change (namespace, changes) SELECT 'default', '{}' ${N}`, ROWS / 10],
  [
    `INSERT INTO error_stand (namespace, fingerprint, resolved_at, changed_by)
     SELECT 'default', lpad(to_hex(n), 16, '0'), now(), 'test' ${N}`,
    ROWS / 10,
  ],
  [
    `INSERT INTO cron_report (namespace, id, line, host, started_at, told_at)
     SELECT 'default', gen_random_uuid(), 'a' || n % 100, 'web1', at, at FROM (SELECT n, now() - n * interval '1 s' AS at ${N}) starts`,
    ROWS,
  ],
];
