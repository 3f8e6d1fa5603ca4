export * from './alert-watch.ts';
export * from './alerting.ts';
export * from './deliveries.ts';
export * from './facts.ts';
export * from './first-failures.ts';
export * from './last-successes.ts';
export * from './latest-ends.ts';
export * from './list-alerts.ts';
export * from './notifications.ts';
export {
  type AlertFinding,
  type OpenAlert,
  openAlerts,
  openAlertsOf,
  type RunMark,
  resolveAlerts,
  resolveOrphans,
  settleAlerts,
} from './open-alerts.ts';
export * from './open-runs.ts';
export * from './silences.ts';
export * from './successes.ts';
