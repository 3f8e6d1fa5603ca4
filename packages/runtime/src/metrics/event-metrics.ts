import { type Emit, type EngineEvent, SECOND } from '@escapement/core';
import type { MetricsRegistry } from './registry.ts';
import type { TaskLabel } from './task-label.ts';

/** Seconds. */
const DELAYS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const DURATIONS = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400];
const MEMBERS = [1, 2, 5, 10, 20, 50, 100];
const PASSES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts what a process tells of itself. */
export function countEvents(registry: MetricsRegistry, taskLabel: TaskLabel): Emit {
  const counts = { ...runMetrics(registry), ...loopMetrics(registry), ...requestMetrics(registry) };
  return (event) => {
    if (event.event === 'run_started' || event.event === 'run_finished') countRun(event, counts, taskLabel(event.task));
    else if (event.event === 'request_answered') countRequest(event, counts);
    else countOther(event, counts);
  };
}

function runMetrics(registry: MetricsRegistry) {
  return {
    started: registry.counter('attempts_started_total', 'Attempts that were started, first ones and others.', [
      'pool',
      'task',
    ]),
    ended: registry.counter(
      'attempts_ended_total',
      'Attempts that ended, by the state that the run got by it; retrying: another attempt follows.',
      ['pool', 'task', 'state'],
    ),
    delay: registry.histogram('start_delay_seconds', 'From when an attempt was due to its start.', DELAYS, [
      'pool',
      'task',
    ]),
    duration: registry.histogram('attempt_duration_seconds', 'From start to end of an attempt.', DURATIONS, [
      'pool',
      'task',
    ]),
    notStarted: registry.counter(
      'runs_not_started_total',
      'Runs that a worker ended without starting them, by state.',
      ['state'],
    ),
    waits: registry.counter('run_waits_total', 'Times that a run began to wait, for its key or for a rate.', ['for']),
    lost: registry.counter('runs_lost_total', 'Runs that lost their worker and ended by it, by state.', ['state']),
    refused: registry.counter('jobs_refused_total', 'Jobs that were dropped because they are not of this fleet.', [
      'why',
    ]),
    grouped: registry.histogram(
      'group_commit_members',
      'Calls that shared a statement of a worker, by statement.',
      MEMBERS,
      ['statement'],
    ),
    blocked: registry.counter('loop_blocks_total', 'Times that an event loop did not turn for too long.', ['where']),
  };
}

function loopMetrics(registry: MetricsRegistry) {
  return {
    planned: registry.counter('planned_runs_total', 'Rows that the planner made for occurrences.'),
    pass: registry.histogram('planner_pass_seconds', 'Planner passes that planned something.', PASSES),
    planFailed: registry.counter('plan_failures_total', 'Times that a task could not be planned.'),
    dispatched: registry.counter('dispatched_runs_total', 'Runs whose jobs were added to the queue.'),
    dispatchFailed: registry.counter('dispatch_failures_total', 'Times that runs could not be added to the queue.'),
    drift: registry.counter('drift_total', 'Differences between queue and ledger that were repaired, by kind.', [
      'kind',
    ]),
    misfires: registry.counter('misfires_total', 'Runs that no worker had started in time, by what became of them.', [
      'verdict',
    ]),
    deliveries: registry.counter(
      'deliveries_total',
      'Messages about alerts: sent, failed and to be tried again, given up.',
      ['result'],
    ),
    verified: registry.counter('ledger_verifications_total', 'Comparisons of ledger and schedules.'),
    gaps: registry.counter('ledger_gaps_total', 'Gaps that these comparisons found.'),
    moves: registry.counter(
      'ledger_moves_total',
      'Times that the ledger was found to be another one, as after a restore.',
    ),
  };
}

function requestMetrics(registry: MetricsRegistry) {
  return {
    requests: registry.counter('api_requests_total', 'Requests that the API has answered.', ['route', 'status']),
    answer: registry.histogram('api_request_seconds', 'From a request of the API to its answer.', PASSES, ['route']),
    reads: registry.counter('api_reads_total', 'Reads that a standby may answer, by which server did.', ['server']),
  };
}

type Counts = ReturnType<typeof runMetrics> & ReturnType<typeof loopMetrics> & ReturnType<typeof requestMetrics>;
type RequestEvent = Extract<EngineEvent, { event: 'request_answered' }>;

function countRequest({ route, status, tookMs }: RequestEvent, counts: Counts): void {
  counts.requests.inc({ route, status: String(status) });
  counts.answer.observe({ route }, tookMs / SECOND);
}

type RunEvent = Extract<EngineEvent, { event: 'run_started' | 'run_finished' }>;

function countRun(event: RunEvent, counts: Counts, task: string): void {
  const labels = task === '' ? { pool: event.pool } : { pool: event.pool, task };
  if (event.event === 'run_started') {
    counts.started.inc(labels);
    counts.delay.observe(labels, event.latenessMs / SECOND);
    return;
  }
  counts.ended.inc({ ...labels, state: event.state });
  counts.duration.observe(labels, event.durationMs / SECOND);
}

/** What is not counted here is a line of the log alone. */
function countOther(event: EngineEvent, counts: Counts): void {
  switch (event.event) {
    case 'planned':
      counts.planned.inc(event.runs);
      counts.pass.observe(event.tookMs / SECOND);
      break;
    case 'plan_failed':
      counts.planFailed.inc();
      break;
    case 'dispatched':
      counts.dispatched.inc(event.runs);
      break;
    case 'dispatch_failed':
      counts.dispatchFailed.inc();
      break;
    case 'misfires':
      for (const verdict of ['caughtUp', 'held', 'missed'] as const)
        counts.misfires.inc({ verdict: verdict === 'caughtUp' ? 'caught_up' : verdict }, event[verdict]);
      break;
    case 'drift':
      for (const [kind, count] of Object.entries(event.counts)) counts.drift.inc({ kind }, count);
      break;
    case 'run_not_started':
      counts.notStarted.inc({ state: event.state });
      break;
    case 'run_waiting':
      counts.waits.inc({ for: event.reason === undefined ? 'key' : 'rate' });
      break;
    case 'run_lost':
      counts.lost.inc({ state: event.state });
      break;
    case 'job_refused':
      counts.refused.inc({ why: event.why });
      break;
    case 'calls_grouped':
      counts.grouped.observe({ statement: event.statement }, event.members);
      break;
    case 'loop_blocked':
      counts.blocked.inc({ where: event.where });
      break;
    case 'delivery_sent':
      counts.deliveries.inc({ result: 'sent' });
      break;
    case 'delivery_failed':
      counts.deliveries.inc({ result: event.givenUp ? 'given_up' : 'failed' });
      break;
    case 'ledger_verified':
      counts.verified.inc();
      counts.gaps.inc(event.gaps);
      break;
    case 'ledger_moved':
      counts.moves.inc();
      break;
    case 'read_answered':
      counts.reads.inc({ server: event.by });
      break;
  }
}
