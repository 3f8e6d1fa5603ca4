import { randomUUID } from 'node:crypto';
import type { RunState } from '@escapement/core';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { twoProcesses } from './ledger.ts';

const processes = await twoProcesses();
const { one: db } = processes;
afterAll(() => processes.close());

const HOUR = new Date('2026-03-01T10:00:00Z');
const NEXT = new Date('2026-03-01T11:00:00Z');

let task = '';
beforeEach(() => {
  task = randomUUID();
});

interface Row {
  state?: RunState;
  /** Milliseconds after the hour. */
  atMs?: number;
  attempt?: number;
  /** Null: it never began. */
  lateMs?: number | null;
  tookMs?: number;
  reason?: string | null;
  occurrences?: number;
  of?: string;
  /** It has not ended. */
  open?: boolean;
}

/** A row of the ledger: a run that began when it was due and failed after a second; with what is another of it. */
async function ledger(row: Row = {}): Promise<void> {
  const { state = 'failed', atMs = 0, attempt = 1, lateMs = 0, tookMs = 1000, of = task, open = false } = row;
  const { reason = 'so', occurrences = 1 } = row;
  await db.pool.query(
    `INSERT INTO run (id, scheduled_for, namespace, task_id, task_version, plan_epoch, origin, state, reason, key, key_limit, overlap, pool,
       due_at, attempt, worker, fence, started_at, finished_at, occurrences, until_at)
     SELECT gen_random_uuid(), due.at, $1, $2, 1, 1, 'trigger', $3, $4, 'k', 1, 'allow', 'default', due.at, $5, 'w', 1, begun.at,
       CASE WHEN NOT $6 THEN coalesce(begun.at, due.at) + $7 * interval '1 ms' END, $8, CASE WHEN $8 > 1 THEN due.at END
     FROM (SELECT $9::timestamptz + $10 * interval '1 ms') due(at), LATERAL (SELECT due.at + $11 * interval '1 ms') begun(at)`,
    [...[db.namespace, of, state, reason, attempt, open, tookMs, occurrences, HOUR, atMs, lateMs]],
  );
}

/** What is said of hours of the task, without what is 0. */
async function ended(hours: readonly Date[] = [HOUR], tasks = hours.map(() => task)) {
  const { rows } = await db.pool.query('SELECT * FROM ended_by_hour($1, $2) ORDER BY hour', [tasks, hours]);
  return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== 0)));
}

async function bucketOf(ms: number): Promise<number> {
  const { rows } = await db.pool.query(`SELECT duration_bucket($1 * interval '1 ms') AS bucket`, [ms]);
  return rows[0].bucket;
}

const SECOND = await bucketOf(1000);
const NOTHING = await bucketOf(0);
/** As the one row that a task has of an hour, with one run that took a second. */
const ONE = { hour: HOUR, runs: 1, started: 1, failed: 1, took: { [SECOND]: 1 }, late: { [NOTHING]: 1 } };

it('of an hour in which nothing ended there is no row', async () => {
  await ledger({ state: 'running', open: true });
  expect(await ended()).toEqual([]);
});

it.each(['succeeded', 'failed', 'timed_out', 'quarantined'] as const)(
  'a run that %s is counted as such, with how long it took and how late it began',
  async (state) => {
    await ledger({ state });
    const { failed, ...one } = ONE;
    expect(await ended()).toEqual([{ ...one, task_id: task, [state]: failed }]);
  },
);

it.each([
  ['skipped', 7],
  ['missed', 7],
  ['superseded', 1],
  ['cancelled', 1],
] as const)('what was %s counts its occurrences, and did not begin', async (state, occurrences) => {
  await ledger({ state, occurrences, attempt: 0, lateMs: null });
  expect(await ended()).toEqual([{ task_id: task, hour: HOUR, runs: 1, [state]: occurrences, took: {}, late: {} }]);
});

it('each state is counted beside the others', async () => {
  const states = [
    'succeeded',
    'failed',
    'timed_out',
    'quarantined',
    'skipped',
    'missed',
    'superseded',
    'cancelled',
  ] as const;
  for (const state of states) await ledger({ state });
  expect(await ended()).toMatchObject([
    { runs: 8, started: 8, ...Object.fromEntries(states.map((state) => [state, 1])), took: { [SECOND]: 4 } },
  ]);
});

it('a run that began and was skipped has no duration, but began late', async () => {
  await ledger({ state: 'skipped', lateMs: 1000 });
  expect(await ended()).toMatchObject([{ started: 1, skipped: 1, took: {}, late: { [SECOND]: 1 } }]);
});

it('an end that a person told has no duration; one without a reason has', async () => {
  await ledger({ reason: 'resolved as failed by ann' });
  expect(await ended()).toMatchObject([{ failed: 1, took: {} }]);
  await ledger({ state: 'succeeded', reason: null });
  expect(await ended()).toMatchObject([{ succeeded: 1, took: { [SECOND]: 1 } }]);
});

it('a run whose attempts do not count any more did not begin, nor was it late', async () => {
  await ledger({ state: 'cancelled', attempt: 0, lateMs: 1000 });
  expect(await ended()).toEqual([{ task_id: task, hour: HOUR, runs: 1, cancelled: 1, took: {}, late: {} }]);
});

it.each([
  ['at its beginning', 0, 1],
  ['just before its end', 3_599_999, 1],
  ['just before its beginning', -1, 0],
  ['at its end', 3_600_000, 0],
])('a run that was due %s is one of the hour or not', async (_, atMs, rows) => {
  await ledger({ atMs });
  expect(await ended()).toHaveLength(rows);
});

it('runs of another task are not counted', async () => {
  await ledger();
  await ledger({ of: randomUUID() });
  expect(await ended()).toMatchObject([ONE]);
});

it('an hour that is asked for twice is told once', async () => {
  await ledger();
  expect(await ended([HOUR, HOUR])).toMatchObject([ONE]);
});

it('of two hours each has its own durations and lateness', async () => {
  await ledger();
  await ledger({ atMs: 3_600_000, lateMs: 60_000, tookMs: 60_000 });
  const minute = await bucketOf(60_000);
  expect(await ended([HOUR, NEXT])).toMatchObject([
    ONE,
    { hour: NEXT, runs: 1, took: { [minute]: 1 }, late: { [minute]: 1 } },
  ]);
});

it('of two tasks each has its own', async () => {
  const other = randomUUID();
  await ledger();
  await ledger({ of: other, lateMs: 60_000, tookMs: 60_000 });
  const minute = await bucketOf(60_000);
  const rows = await ended([HOUR, HOUR], [task, other]);
  expect(rows.find((row) => row.task_id === task)).toMatchObject(ONE);
  expect(rows.find((row) => row.task_id === other)).toMatchObject({ took: { [minute]: 1 }, late: { [minute]: 1 } });
  expect(rows).toHaveLength(2);
});
