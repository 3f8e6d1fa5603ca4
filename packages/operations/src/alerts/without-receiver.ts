import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NotifyPolicy } from '@escapement/core';
import {
  type AlertAbout,
  type Alerting,
  type AlertRule,
  alertLabels,
  type DefaultReceivers,
  destinationsOf,
  type RulesOfKind,
  receiverNamed,
  rulesFor,
  rulesForMonitor,
} from '@escapement/core/alerts';
import type { Database } from '@escapement/store';
import { alertingInForce, openRoutes } from './alerts.ts';
import type { KnownToAlerts } from './known-to-alerts.ts';

const EACH_TURN = 500;

export interface WithoutReceiver {
  /** How many tasks there are, and of whose failures nobody would be told: no rule counts for them, or what they open goes to the inbox alone, or nowhere. */
  tasks: { count: number; unreceived: string[] };
  /** The same of monitors whose ping is missing. */
  monitors: { count: number; unreceived: string[] };
}

/** Of what in the fleet nobody would be told when it fails. */
export async function withoutReceiver(
  db: Database,
  { tasks, monitors }: KnownToAlerts,
  { defaults, now }: { defaults: DefaultReceivers; now: Date },
): Promise<WithoutReceiver> {
  const { definition: saved } = await alertingInForce(db);
  const alerting = { ...saved, routes: await openRoutes(db, saved, now) };
  const isNotified = receiverOf(alerting, defaults, now);
  const [failed, missed] = [rulesOf(alerting, 'failed'), rulesOf(alerting, 'monitor-missed')];
  const unreceivedTasks: string[] = [];
  for (const [index, task] of tasks.entries()) {
    // There may be 100,000, and whoever asks has others to answer.
    if (index % EACH_TURN === 0) await nextTurn();
    if (!task.isShadow && !task.notify?.none && !isNotified(rulesFor(failed, task), { task }, task.notify))
      unreceivedTasks.push(task.name);
  }
  const unreceivedMonitors = monitors.filter(
    (monitor) => !isNotified(rulesForMonitor(missed, monitor), { monitor }, null),
  );
  return {
    tasks: { count: tasks.length, unreceived: unreceivedTasks },
    monitors: { count: monitors.length, unreceived: unreceivedMonitors.map(({ name }) => name) },
  };
}

function rulesOf({ rules }: Alerting, kind: AlertRule['when']['kind']): AlertRule[] {
  return rules.filter(({ when }) => when.kind === kind);
}

/** Whether an alert of any of these rules goes to somebody. */
function receiverOf(alerting: Alerting, defaults: DefaultReceivers, now: Date) {
  return (found: readonly RulesOfKind[], about: AlertAbout, notify: NotifyPolicy | null): boolean =>
    found
      .flatMap(({ rules }) => rules)
      .flatMap((rule) => destinationsOf(alerting, { labels: alertLabels(rule, about), notify }, defaults, now))
      .some(({ receiver }) => receiverNamed(alerting, receiver, [])?.type !== 'inbox');
}
