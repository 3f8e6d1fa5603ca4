import { type EngineEvent, ManualClock, type TracedAttempt } from '@escapement/core';
import { expect, test } from 'vitest';
import { createMetrics, type MetricsOptions } from './metrics.ts';

function setUp(options: Partial<MetricsOptions> = {}) {
  const errors: unknown[] = [];
  const clock = new ManualClock(new Date('2026-06-01T12:00:00Z'));
  const metrics = createMetrics({
    ...{ role: 'worker', version: '1.2.3', tasks: 0, clock, onError: (error: unknown) => void errors.push(error) },
    ...options,
  });
  /** The value of a time series; undefined: there is none. */
  async function valueAt(series: string): Promise<number | undefined> {
    const line = (await metrics.text()).split('\n').find((each) => each.startsWith(`escapement_${series} `));
    return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ') + 1).replace('Nan', 'NaN'));
  }
  return { metrics, clock, errors, valueAt };
}

const STARTED: EngineEvent = {
  event: 'run_started',
  run: 'r',
  task: 'mail',
  pool: 'default',
  attempt: 1,
  latenessMs: 20,
  traceparent: null,
};
const TRACED = {
  ...{ traceparent: null, queue: 'default', key: 'mail', origin: 'schedule', handler: 'shell' },
  ...{ runDueAt: new Date(0), begunAt: new Date(0), calledAt: new Date(0), returnedAt: new Date(3000) },
} as const satisfies TracedAttempt;
const FINISHED = {
  ...{ event: 'run_finished', run: 'r', task: 'mail', pool: 'default', state: 'succeeded', reason: null },
  ...{ attempt: 1, durationMs: 3000, latenessMs: 20, traced: TRACED },
} as const satisfies EngineEvent;

test('attempts are counted by pool and state, and timed', async () => {
  const { metrics, valueAt } = setUp();
  metrics.count(STARTED);
  metrics.count(FINISHED);
  metrics.count({ ...FINISHED, state: 'failed' });
  expect(await valueAt('attempts_started_total{pool="default"}')).toBe(1);
  expect(await valueAt('attempts_ended_total{pool="default",state="failed"}')).toBe(1);
  expect(await valueAt('attempt_duration_seconds_sum{pool="default"}')).toBe(6);
  expect(await valueAt('start_delay_seconds_bucket{le="0.01",pool="default"}')).toBe(0);
  expect(await valueAt('start_delay_seconds_bucket{le="0.025",pool="default"}')).toBe(1);
});

test('tasks are named only if they shall be, and no more than so many', async () => {
  const { metrics, valueAt } = setUp({ tasks: 1 });
  for (const task of ['mail', 'report', 'backup']) metrics.count({ ...STARTED, task });
  expect(await valueAt('attempts_started_total{pool="default",task="mail"}')).toBe(1);
  expect(await valueAt('attempts_started_total{pool="default",task="other"}')).toBe(2);
});

test('other events are counted by what tells them apart', async () => {
  const { metrics, valueAt } = setUp();
  const events: EngineEvent[] = [
    { event: 'planned', tasks: 1, runs: 7, jobs: [], tookMs: 12 },
    { event: 'drift', counts: { missing_job: 3 } },
    { event: 'misfires', caughtUp: 1, held: 0, missed: 4 },
    { event: 'delivery_failed', delivery: '1', receiver: 'ops', alerts: 1, error: 'refused', givenUp: true },
    { event: 'ledger_verified', tasks: 1, expected: 5, findings: 2, gaps: 2 },
    { event: 'run_waiting', run: 'r', task: null, key: 'k', blockedBy: null },
    { event: 'calls_grouped', statement: 'begin', members: 7 },
    { event: 'read_answered', by: 'standby' },
  ];
  for (const event of events) metrics.count(event);
  expect(await valueAt('planned_runs_total')).toBe(7);
  expect(await valueAt('drift_total{kind="missing_job"}')).toBe(3);
  expect(await valueAt('misfires_total{verdict="missed"}')).toBe(4);
  expect(await valueAt('deliveries_total{result="given_up"}')).toBe(1);
  expect(await valueAt('ledger_gaps_total')).toBe(2);
  expect(await valueAt('run_waits_total{for="key"}')).toBe(1);
  expect(await valueAt('api_reads_total{server="standby"}')).toBe(1);
  expect(await valueAt('group_commit_members_sum{statement="begin"}')).toBe(7);
  expect(await valueAt('group_commit_members_bucket{le="5",statement="begin"}')).toBe(0);
});

test('a source that fails is told of, and the other metrics are there', async () => {
  const { metrics, clock, errors, valueAt } = setUp();
  let isAway = true;
  metrics.watch({
    servers: { redis: async () => (isAway ? Promise.reject(new Error('refused')) : undefined) },
    places: () => ({ held: 3, most: 10 }),
    clockOffsetMs: () => null,
  });
  expect(await valueAt('server_up{server="redis"}')).toBe(0);
  expect(await valueAt('server_round_trip_seconds{server="redis"}')).toBeNaN();
  expect(await valueAt('worker_runs_held')).toBe(3);
  expect(await valueAt('clock_offset_seconds')).toBeNaN();
  expect(errors).toEqual([new Error('refused')]);
  isAway = false;
  clock.advance(2000);
  expect(await valueAt('server_up{server="redis"}')).toBe(1);
});

test('leases that were lost are counted once, however often somebody reads', async () => {
  const { metrics, clock, valueAt } = setUp();
  const leases = { held: 2, lost: 0 };
  metrics.watch({ leases: () => leases });
  expect(await valueAt('leases_lost_total')).toBe(0);
  leases.lost = 3;
  for (let read = 0; read < 2; read++) {
    clock.advance(2000);
    expect(await valueAt('leases_lost_total')).toBe(3);
  }
  expect(await valueAt('leases_held')).toBe(2);
});

test('a source that does not answer keeps nobody waiting', async () => {
  const timer = { after: (_ms: number, then: () => void) => callSoon(then) };
  const { metrics, valueAt } = setUp({ timer });
  metrics.watch({ servers: { postgres: () => new Promise(() => undefined) } });
  expect(await valueAt('server_up{server="postgres"}')).toBe(0);
});

test('sources are asked once in two seconds, however many read', async () => {
  const { metrics, clock } = setUp();
  let asked = 0;
  metrics.watch({ servers: { postgres: async () => ++asked } });
  await Promise.all([metrics.text(), metrics.text()]);
  clock.advance(1999);
  await metrics.text();
  expect(asked).toBe(1);
  clock.advance(1);
  await metrics.text();
  expect(asked).toBe(2);
});

test('a pool that is no more disappears', async () => {
  const { metrics, clock, valueAt } = setUp();
  const pool = {
    pool: 'gpu',
    queued: 2,
    overdue: 1,
    longestMs: 1500,
    running: 0,
    waiting: 0,
    withoutCode: 0,
    workers: 0,
  };
  const figures = {
    ...{ plannerPassAgeMs: null, plannerLagMs: 0, unplannable: 0, held: 0, unknown: 0, keysWaitedFor: 0, slotsHeld: 0 },
    ...{ deliveriesPending: 0, alertsFiring: 0, frozen: true, schedulers: 1 },
    queueBlocks: [{ queue: 'gpu', kind: 'paused' as const, since: '2026-06-01T12:00:00Z' }],
    pools: [{ ...pool, expectedWorkers: 2, paused: true }],
  };
  metrics.watch({ fleet: async () => figures });
  expect(await valueAt('pool_runs{pool="gpu",state="queued"}')).toBe(2);
  expect(await valueAt('pool_longest_overdue_seconds{pool="gpu"}')).toBe(1.5);
  expect(await valueAt('pool_workers_expected{pool="gpu"}')).toBe(2);
  expect(await valueAt('fleet_frozen')).toBe(1);
  expect(await valueAt('planner_pass_age_seconds')).toBeNaN();
  expect(await valueAt('queue_blocked{queue="gpu",kind="paused"}')).toBe(1);
  figures.pools = [];
  figures.queueBlocks = [];
  clock.advance(2000);
  expect(await valueAt('pool_runs{pool="gpu",state="queued"}')).toBeUndefined();
  expect(await valueAt('queue_blocked{queue="gpu",kind="paused"}')).toBeUndefined();
});

function callSoon(then: () => void): () => void {
  queueMicrotask(then);
  return () => undefined;
}
