import { RUN_STATES, type RunOrigin, type RunState, systemClock } from '@escapement/core';
import { type LabelSelector, type Labels, matchesSelector, parseSelector } from '@escapement/core/rights';
import { testDatabase } from '@escapement/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  countRuns,
  type EndedRun,
  endedRuns,
  listRuns,
  lookedBackTo,
  type RunFilter,
  runIdsFrom,
  runsAmong,
} from '../src/index.ts';
import { nodesOf, openExplained, pagesOf } from './explained.ts';
import { MINUTE, makeTask } from './ledger.ts';

const RUNS = 60_000;
const TASKS = 100;
/** Tasks that have never run: with them a pattern has more than are asked each for its own. */
const IDLE = 300;
const KEYS = 10;
const SPAN_MS = 20_000 * MINUTE;
const LIMIT = 20;
/** One of so many runs is in another state than `succeeded`. */
const RARE = 50;
/** Descents of the indexes of each partition, what is open, and the rows of the page. To read all runs takes thousands of pages. */
const PAGES = 1000;
/** As runs-by-origin.ts has it. */
const LOOKED_THROUGH = 20_000;

const { db, plansOf } = await openExplained(await testDatabase());
afterAll(() => db.close());

interface Row {
  id: string;
  at: Date;
  task: string;
  key: string;
  state: RunState;
  origin: RunOrigin;
  reason: string;
}

const end = systemClock.now().getTime();
let rows: Row[] = [];

beforeAll(async () => {
  for (let index = 0; index < TASKS; index++) await makeTask(db, { name: `task-${index}` });
  for (let ms = end - SPAN_MS; ms <= end + MINUTE; ms += 1000 * MINUTE)
    await db.pool.query('SELECT make_partition($1, $2)', ['run', new Date(ms).toISOString()]);
  await db.pool.query(
    `UPDATE task SET definition = definition || jsonb_build_object('labels', jsonb_build_object('team', 't' || right(name, 1)))`,
  );
  const link = await db.pool.connect();
  await link.query('SET session_replication_role = replica');
  await link.query(FILL_IDLE, [IDLE]);
  await link.query(FILL, [end - SPAN_MS, SPAN_MS / RUNS, RUNS, RUN_STATES]);
  await link.query('RESET session_replication_role');
  link.release();
  await db.pool.query('VACUUM ANALYZE');
  const found = await db.pool.query<Row>(
    `SELECT r.id, r.scheduled_for AS at, t.name AS task, r.key, r.state, r.origin, r.reason FROM run r JOIN task t ON t.id = r.task_id ORDER BY r.id DESC`,
  );
  rows = found.rows;
}, 120_000);

const instant = fc.integer({ min: -MINUTE, max: SPAN_MS + MINUTE }).map((ms) => new Date(end - SPAN_MS + ms));
const filters = fc.record(
  {
    taskName: fc.integer({ min: 0, max: TASKS }).map((index) => `task-${index}`),
    labels: fc.subarray(['t0', 't4', 't7', 'none'], { minLength: 1, maxLength: 2 }).chain((teams) =>
      fc.constantFrom(
        parseSelector(`team=${teams.join('|')}`),
        teams.map((team) => parseSelector(`team=${team}`)),
      ),
    ),
    tasksLike: fc.subarray(['task-1*', '*-7', 'TASK*', 'task_1', '*', 'idle*'], { minLength: 1, maxLength: 2 }),
    error: fc.constantFrom('IN AS 3', 'as 9', '%', '_n as', '*'),
    reasonsOnly: fc.boolean(),
    key: fc.tuple(fc.nat(TASKS), fc.nat(KEYS)).map(([task, key]) => `task-${task}:${key}`),
    origins: fc.subarray<RunOrigin>(['schedule', 'trigger', 'chain'], { minLength: 1, maxLength: 2 }),
    states: fc.uniqueArray(fc.constantFrom(...RUN_STATES), { minLength: 1, maxLength: 3 }),
    since: instant,
    until: instant,
  },
  { requiredKeys: [] },
);

it('lists the runs that fit all bounds, the latest first, and reads few of the others', {
  timeout: 120_000,
}, async () => {
  expect(rows.length).toBe(RUNS);
  expect(new Set(rows.map(({ state }) => state)).size).toBe(RUN_STATES.length);
  await fc.assert(
    fc.asyncProperty(filters, async (bounds) => {
      const filter: RunFilter = { ...bounds, limit: LIMIT };
      const listed: string[] = [];
      const plans = await plansOf(async () => {
        listed.splice(0, listed.length, ...(await listRuns(db, filter)).map(({ id }) => id));
      }, 1);
      expect(listed).toEqual(expected(filter));
      if (isQuick(filter)) expect(Math.max(...plans.flatMap(nodesOf).map(pagesOf))).toBeLessThan(PAGES);
    }),
    { numRuns: 200, seed: 11 },
  );
});

it('a page of many tasks that the latest runs have a part of is found behind them; no task is asked for its own', async () => {
  const filter: RunFilter = { tasksLike: ['task-7', 'idle-*'], limit: 10 * LIMIT };
  const listed: string[] = [];
  const plans = await plansOf(async () => {
    listed.splice(0, listed.length, ...(await listRuns(db, filter)).map(({ id }) => id));
  }, 1);
  expect(listed).toEqual(expected(filter));
  const indexes = plans.flatMap(nodesOf).map((node) => node['Index Name'] ?? '');
  expect(indexes.filter((name) => name.includes('task_id'))).toEqual([]);
});

it('counts as many of each state as there are, up to its limit', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(filters, fc.constantFrom(1, LIMIT, RUNS), async ({ origins: _, states, ...bounds }, limit) => {
      const asked = states ?? RUN_STATES;
      const counts = await countRuns(db, { ...bounds, limit }, asked);
      const found = asked.map((state) => [state, counts.get(state) ?? 0]);
      expect(found).toEqual(asked.map((state) => [state, expected({ ...bounds, states: [state], limit }).length]));
    }),
    { numRuns: 100, seed: 12 },
  );
});

it('finds ids by how they begin', async () => {
  const one = rows[RUNS / 2]?.id ?? '';
  for (const length of [1, 5, 11, 13, 20, 36]) {
    const prefix = one.replaceAll('-', '').slice(0, length);
    const all = rows.map(({ id }) => id).filter((id) => id.replaceAll('-', '').startsWith(prefix));
    expect(await runIdsFrom(db, prefix, 5)).toEqual(all.reverse().slice(0, 5));
  }
  expect(await runIdsFrom(db, 'ffff', 5)).toEqual([]);
});

/** Runs of one task or key that succeeded, where hardly any has, are looked for one by one. */
function isQuick({ taskName, tasksLike, labels, key, origins, states, error, since, until }: RunFilter): boolean {
  if (since && until && since >= until) return true;
  if (error !== undefined) return true;
  if (origins && (key !== undefined || states)) return false;
  if (origins) return true;
  return (
    states === undefined ||
    (key === undefined && (!states.includes('succeeded') || (taskName ?? tasksLike ?? labels) === undefined))
  );
}

const meets = (any: readonly LabelSelector[], given: Labels) =>
  any.some((selector) => matchesSelector(selector, given));

/** Looks at the tasks once, not at each run: there are 60,000 of these. */
function expected(filter: RunFilter): string[] {
  const { key, origins, states, error, since, until, limit } = filter;
  const tasks = tasksOf(filter);
  const reason = error?.toLowerCase();
  const isAmong = (row: Row) =>
    tasks.has(row.task) &&
    (reason === undefined || (!WITHOUT_REASON.includes(row.state) && row.reason.includes(reason))) &&
    (key === undefined || row.key === key) &&
    (since === undefined || row.at >= since) &&
    (until === undefined || row.at < until);
  const found: string[] = [];
  let looks = looksAmong(filter);
  for (const row of rows) {
    if (!isAmong(row)) continue;
    if (looks-- === 0 || found.length === limit) break;
    if ((origins?.includes(row.origin) ?? true) && (states?.includes(row.state) ?? true)) found.push(row.id);
  }
  return found;
}

/** The names of tasks that fit. */
function tasksOf({ taskName, tasksLike, labels }: RunFilter): Set<string> {
  const patterns = tasksLike?.map((pattern) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`));
  const names = Array.from({ length: TASKS }, (_, index) => `task-${index}`)
    .filter((name) => taskName === undefined || name === taskName)
    .filter((name) => patterns === undefined || patterns.some((pattern) => pattern.test(name)))
    .filter((name) => labels === undefined || meets([labels].flat(), { team: `t${name.at(-1)}` }));
  return new Set(names);
}

/** Nobody says why a run goes on, or has succeeded. */
const WITHOUT_REASON: readonly RunState[] = ['planned', 'queued', 'waiting', 'running', 'succeeded'];

/** Of one task, or of a few, there are fewer. */
function looksAmong({ taskName, tasksLike, labels, key, origins, states, error }: RunFilter): number {
  const looks =
    error === undefined && origins && key === undefined && (states === undefined || states.includes('succeeded'));
  return looks && taskName === undefined && tasksLike === undefined && labels === undefined ? LOOKED_THROUGH : RUNS;
}

it('a list by origin says how far back it has looked, and goes on from there', async () => {
  const filter: RunFilter = { origins: ['rerun'], limit: LIMIT };
  const back = await lookedBackTo(db, filter);
  expect(back).toEqual(rows[LOOKED_THROUGH - 1]?.at);
  expect(await lookedBackTo(db, { ...filter, until: back ?? new Date(0) })).toEqual(rows[2 * LOOKED_THROUGH - 1]?.at);
  expect(await lookedBackTo(db, { ...filter, taskName: 'task-1' })).toBeNull();
  expect(await lookedBackTo(db, { ...filter, key: 'task-1:1' })).toBeNull();
  const all = parseSelector(`team=${Array.from({ length: 10 }, (_, team) => `t${team}`).join('|')}`);
  const share = (await lookedBackTo(db, { ...filter, labels: all })) ?? new Date(0);
  const seen = rows.filter(({ at }) => at >= share);
  const perTask = new Map<string, number>();
  for (const { task } of seen) perTask.set(task, (perTask.get(task) ?? 0) + 1);
  expect(Math.max(...perTask.values())).toBeLessThanOrEqual(LOOKED_THROUGH / TASKS);
  expect(seen.length).toBeGreaterThan(LOOKED_THROUGH * 0.9);
  // Few tasks share what is looked through, and so are all of their runs.
  expect(await lookedBackTo(db, { ...filter, labels: parseSelector('team=t0') })).toBeNull();
  expect(await lookedBackTo(db, { states: ['failed'], limit: LIMIT })).toBeNull();
});

it('runs that have ended of late are found without a look at the others, page after page', async () => {
  await db.pool.query(`UPDATE run SET state = 'succeeded', finished_at = clock_timestamp(), reason = NULL
    WHERE id IN (SELECT id FROM run WHERE state = 'running' ORDER BY id)`);
  await db.pool.query('VACUUM run');
  const since = new Date(end - MINUTE);
  const ended: EndedRun[] = [];
  const plans = await plansOf(async () => {
    ended.length = 0;
    for (let after: EndedRun | undefined; ; after = ended.at(-1)) {
      const page = await endedRuns(db, {}, { since, after, limit: LIMIT });
      ended.push(...page);
      if (page.length < LIMIT) return;
    }
  }, 1);
  const { rows: all } = await db.pool.query<{ id: string }>(
    'SELECT id FROM run WHERE finished_at >= $1 ORDER BY finished_at, id',
    [since.toISOString()],
  );
  expect(ended.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  expect(ended.length).toBeGreaterThan(2 * LIMIT);
  const [one] = ended;
  const ofOne = await endedRuns(db, { states: ['succeeded'] }, { since, after: undefined, limit: 1 });
  expect(ofOne.map(({ id }) => id)).toEqual([one?.id]);
  expect(
    (await runsAmong(db, { states: ['succeeded'] }, ended.map(({ id }) => id).reverse())).map(({ id }) => id),
  ).toEqual(ended.map(({ id }) => id).reverse());
  // Postgres 15 takes the index for dearer than it is, and reads a ledger as small as this one as a whole.
  if ((await serverMajor()) < 16) return;
  // The index knows in which ranges of 32 pages they lie: which, and so how many, is another each time.
  const { rows: lain } = await db.pool.query<{ pages: number }>(
    `SELECT 32 * count(DISTINCT (tableoid, (ctid::text::point)[0]::integer / 32))::integer AS pages FROM run WHERE finished_at >= $1`,
    [since.toISOString()],
  );
  const pages = lain[0]?.pages ?? 0;
  expect(pages).toBeLessThan(4 * PAGES);
  expect(Math.max(...plans.flatMap(nodesOf).map(pagesOf))).toBeLessThan(pages + PAGES);
});

it.each<[string, Partial<RunFilter>]>([
  ['of any', {}],
  ['of some labels', { labels: parseSelector('team=small') }],
  ['of a pattern', { tasksLike: ['few*'] }],
])('a namespace with few runs %s is not looked for among those of others', async (_, filter) => {
  const small = { ...db, namespace: 'small' };
  await makeTask(small, { name: `few-${Object.keys(filter)[0] ?? 'any'}`, labels: { team: 'small' } });
  const found = await plansOf(() => listRuns(small, { ...filter, limit: LIMIT }));
  // Postgres 15 counts a page for each of the 5,000 runs that are read; to go through all would be twelve times that.
  const bound = (await serverMajor()) < 16 ? 5000 + PAGES : PAGES;
  for (const plan of found) expect(pagesOf(plan)).toBeLessThan(bound);
});

async function serverMajor(): Promise<number> {
  const { rows: server } = await db.pool.query<{ major: number }>(
    `SELECT current_setting('server_version_num')::integer / 10000 AS major`,
  );
  return server[0]?.major ?? 0;
}

const FILL_IDLE = `
INSERT INTO task (id, name, definition, schedule, key_template, key_limit, overlap, pool, source, effective_at)
SELECT gen_random_uuid(), 'idle-' || n, t.definition, t.schedule, 'idle-' || n, 1, 'skip', 'default', 'test', now()
FROM (SELECT * FROM task LIMIT 1) t, generate_series(1, $1::integer) AS n`;

const FILL = `
INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, dispatch, attempt, key, key_limit,
  overlap, pool, due_at, started_at, finished_at, waiting_since, worker, fence)
SELECT (lpad(to_hex(i.ms), 12, '0') || '7' || substr(md5(i.n::text), 1, 3) || '8' || substr(md5(i.n::text), 4, 15))::uuid, i.at, 'default',
  t.id, 1, 1, CASE WHEN i.n % 30 = 0 THEN 'trigger' ELSE 'schedule' END, i.state, 'filled in as ' || i.n % 7, 1, 1, t.name || ':' || (i.n / ${TASKS}) % ${KEYS}, 1, 'skip', 'default', i.at, i.at,
  CASE WHEN i.state NOT IN ('planned', 'queued', 'waiting', 'running', 'retrying', 'held', 'unknown') THEN i.at END, i.at, 'filler', 1
FROM (SELECT g.n, g.ms, to_timestamp(g.ms / 1000.0) AS at,
    CASE WHEN g.n % ${RARE} = 0 THEN ($4::text[])[1 + (g.n / ${RARE}) % cardinality($4::text[])] ELSE 'succeeded' END AS state
  FROM (SELECT n, ($1::float8 + n * $2::float8)::bigint AS ms FROM generate_series(0, $3::integer - 1) AS n) g) i
JOIN task t ON t.name = 'task-' || (i.n * 7 % ${TASKS})
ORDER BY i.n`;
