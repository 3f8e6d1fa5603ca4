import { SECOND } from '@escapement/core';
import type { FleetFigures, PoolFigures } from '@escapement/store';
import type { MetricsRegistry } from './registry.ts';

/** Of the fleet as a whole. Each scheduler tells the same: ask for `max by (...)`, never for a sum. */
export function fleetGauges(registry: MetricsRegistry): (figures: FleetFigures) => void {
  const whole = wholeGauges(registry);
  const pools = poolGauges(registry);
  const blocked = registry.gauge(
    'queue_blocked',
    '1 for each queue that another program keeps from being worked off in Redis.',
    ['queue', 'kind'],
  );
  return (figures) => {
    whole.passAge.set(figures.plannerPassAgeMs === null ? Number.NaN : figures.plannerPassAgeMs / SECOND);
    whole.lag.set(figures.plannerLagMs / SECOND);
    whole.unplannable.set(figures.unplannable);
    whole.person.set({ state: 'held' }, figures.held);
    whole.person.set({ state: 'unknown' }, figures.unknown);
    whole.keys.set(figures.keysWaitedFor);
    whole.slots.set(figures.slotsHeld);
    whole.deliveries.set(figures.deliveriesPending);
    whole.alerts.set(figures.alertsFiring);
    whole.frozen.set(Number(figures.frozen));
    whole.schedulers.set(figures.schedulers);
    // One that is over must not stay.
    blocked.reset();
    for (const { queue, kind } of figures.queueBlocks) blocked.set({ queue, kind }, 1);
    // A pool that is no more must not stay as it was last.
    for (const gauge of Object.values(pools)) gauge.reset();
    for (const pool of figures.pools) setPool(pool, pools);
  };
}

function wholeGauges(registry: MetricsRegistry) {
  return {
    passAge: registry.gauge('planner_pass_age_seconds', 'Since any scheduler last completed a planner pass.'),
    lag: registry.gauge('planner_lag_seconds', 'How long the task that waits longest to be planned is overdue.'),
    unplannable: registry.gauge('tasks_unplannable', 'Tasks that cannot be planned.'),
    person: registry.gauge('runs_for_a_person', 'Runs that wait for a decision of a person, by state.', ['state']),
    keys: registry.gauge('keys_waited_for', 'Mutual-exclusion keys for which runs wait.'),
    slots: registry.gauge('key_slots_held', 'Slots of mutual-exclusion keys that a run holds.'),
    deliveries: registry.gauge('deliveries_pending', 'Messages about alerts that are not delivered yet.'),
    alerts: registry.gauge('alerts_firing', 'Alerts that fire.'),
    frozen: registry.gauge('fleet_frozen', '1 while a freeze of the fleet is in force, else 0.'),
    schedulers: registry.gauge('schedulers', 'Living schedulers.'),
  };
}

function poolGauges(registry: MetricsRegistry) {
  return {
    runs: registry.gauge(
      'pool_runs',
      'Open runs of a pool: queued (some are not due yet), running, waiting for their key.',
      ['pool', 'state'],
    ),
    overdue: registry.gauge('pool_overdue_runs', 'Runs of a pool that are due for over a second and have not begun.', [
      'pool',
    ]),
    longest: registry.gauge(
      'pool_longest_overdue_seconds',
      'How long the run that waits longest to begin is overdue.',
      ['pool'],
    ),
    workers: registry.gauge('pool_workers', 'Living workers of a pool.', ['pool']),
    expected: registry.gauge('pool_workers_expected', 'How many workers a pool should have, where somebody said so.', [
      'pool',
    ]),
    paused: registry.gauge('pool_paused', '1 while a pool is paused, else 0.', ['pool']),
  };
}

function setPool({ pool, ...figures }: PoolFigures, gauges: ReturnType<typeof poolGauges>): void {
  for (const state of ['queued', 'running', 'waiting'] as const) gauges.runs.set({ pool, state }, figures[state]);
  gauges.overdue.set({ pool }, figures.overdue);
  gauges.longest.set({ pool }, figures.longestMs / SECOND);
  gauges.workers.set({ pool }, figures.workers);
  gauges.paused.set({ pool }, Number(figures.paused));
  if (figures.expectedWorkers !== null) gauges.expected.set({ pool }, figures.expectedWorkers);
}
