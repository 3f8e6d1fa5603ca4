import type { Failpoint } from '@escapement/testkit';

/** A step of a scheduler's passes. */
export interface Step extends Failpoint {
  pass: 'planner' | 'dispatcher' | 'repeatable-job-sync' | 'reconciler';
  /** Comes only when a worker has been lost. */
  needsLoss?: boolean;
  /** Comes only when somebody has cancelled a run, or one has missed its start deadline: not in the load of a whole fleet. */
  inOneProcess?: boolean;
}

const step = (
  pass: Step['pass'],
  module: string,
  name: string,
  more: Pick<Step, 'needsLoss' | 'inOneProcess'> = {},
): Step => ({
  pass,
  module: `packages/${module}.ts`,
  name,
  ...more,
});

/**
 * What a scheduler does that others can see, in the order of each pass: whatever it is killed between must be healed by
 * those that are left. A step that is renamed fails a test, and one that is added belongs in here.
 */
export const SCHEDULER_STEPS: readonly Step[] = [
  step('planner', 'store/src/tasks/due-tasks', 'dueTasks'),
  step('planner', 'store/src/runs/plan-runs', 'planRuns'),
  step('planner', 'scheduler/src/dispatcher', 'createDispatcher.enqueue'),
  step('dispatcher', 'store/src/runs/dispatchable-runs', 'dispatchableRuns'),
  step('dispatcher', 'queue/src/jobs/run-queue', 'createRunQueue.add'),
  step('dispatcher', 'store/src/runs/mark-queued', 'markQueued'),
  step('repeatable-job-sync', 'store/src/processes/cluster-lock', 'takeClusterLock'),
  step('repeatable-job-sync', 'store/src/tasks/repeatable-tasks', 'repeatableTasks'),
  step('repeatable-job-sync', 'queue/src/repeat/job-schedulers', 'createJobSchedulers.list'),
  step('repeatable-job-sync', 'queue/src/repeat/job-schedulers', 'createJobSchedulers.remove'),
  step('repeatable-job-sync', 'queue/src/repeat/job-schedulers', 'createJobSchedulers.put'),
  step('reconciler', 'store/src/processes/cluster-lock', 'holdClusterLock'),
  step('reconciler', 'store/src/reconcile/probe-ledger', 'probeLedger'),
  step('reconciler', 'store/src/runs/lost-runs', 'lostRuns'),
  step('reconciler', 'store/src/runs/finish-runs', 'finishAndWake', { needsLoss: true }),
  step('reconciler', 'store/src/runs/cancel-run', 'findCancelledRuns', { inOneProcess: true }),
  step('reconciler', 'store/src/runs/finish-late-starts', 'findLateStarts', { inOneProcess: true }),
  step('reconciler', 'store/src/slots', 'findDeadSlots'),
  step('reconciler', 'store/src/runs/wake-waiting', 'findLostWakeUps'),
  step('reconciler', 'store/src/runs/finish-overwaited', 'findOverwaited'),
  step('reconciler', 'store/src/runs/finish-decided', 'findDecidedRuns'),
  step('reconciler', 'store/src/reconcile/queue-watch', 'noteMarker'),
  step('reconciler', 'store/src/runs/queued-runs', 'overdueRuns'),
  step('reconciler', 'store/src/runs/queued-runs', 'queuedRuns'),
  step('reconciler', 'queue/src/jobs/run-queue', 'createRunQueue.present'),
];

/**
 * Statements of the reconciler that come only after a fault of their own (a flush, a lost job), or that nothing depends
 * on: not steps to be killed after in a fleet that is well.
 */
export const RARE_STEPS: readonly string[] = [
  'redispatchRuns',
  'areStale',
  'finishCancelledRuns',
  'finishLateStarts',
  'finishDecidedRuns',
  'followPool',
  'findRunsOfDeleted',
  'finishRunsOfDeleted',
  'findRunsOfGoneWorkers',
  'finishRunsOfGoneWorkers',
  'freeDeadSlots',
  'wakeWaiting',
  'finishOverwaited',
  // Of each of LEDGER_REPAIRS: its statement is a step.
  'find',
  'fix',
  'findDeadLeases',
  'haveFinished',
  'completeResync',
  'noteLedgerMove',
  'noteQueueBlocks',
  'readQueueBlocks',
  'requestResync',
  'countQueued',
  'recordDrift',
  // When a scheduler stops.
  'releaseClusterLock',
  // Of doctor's report, by LEDGER_REPAIRS.
  'lookAtLedger',
];

/** What a scheduler does that carries out a bulk action. */
export const BULK_STEPS: readonly Failpoint[] = [
  { module: 'packages/store/src/requests.ts', name: 'takeRequests' },
  { module: 'packages/store/src/requests.ts', name: 'keepProgress' },
  { module: 'packages/store/src/requests.ts', name: 'answerRequest' },
  { module: 'packages/store/src/runs/cancel-run.ts', name: 'requestCancel' },
  { module: 'packages/store/src/runs/rerun-runs.ts', name: 'rerunRuns' },
  { module: 'packages/store/src/runs/resolve-run.ts', name: 'resolveRun' },
  { module: 'packages/store/src/runs/held-runs.ts', name: 'releaseHeld' },
  { module: 'packages/store/src/runs/held-runs.ts', name: 'dropHeld' },
];

/** What a worker does with a run. */
export const WORKER_STEPS: readonly Failpoint[] = [
  { module: 'packages/store/src/runs/look-up-runs.ts', name: 'lookUpRuns' },
  { module: 'packages/queue/src/lease/lease.ts', name: 'createLeaseKeeper.acquire' },
  { module: 'packages/store/src/runs/begin-runs.ts', name: 'beginRuns' },
  { module: 'packages/worker/src/execute/run-handler.ts', name: 'runHandler' },
  { module: 'packages/store/src/runs/finish-runs.ts', name: 'finishAndWake' },
  { module: 'packages/store/src/followers/make-followers.ts', name: 'makeFollowers' },
];

/** Each process' heartbeat: comes every two seconds, whatever it does besides. */
export const HEARTBEAT: Failpoint = { module: 'packages/store/src/processes/heartbeat.ts', name: 'writeHeartbeat' };
