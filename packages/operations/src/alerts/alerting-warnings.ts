import type { Alerting } from '@escapement/core';
import { type Database, listHeartbeats, poolNames, tasksForAlerts } from '@escapement/store';
import type { KnownToAlerts } from './known-to-alerts.ts';
import { warningsOfRoute } from './warnings-of-route.ts';
import { warningsOfRule } from './warnings-of-rule.ts';

/** What is allowed, and likely a mistake: each with its place in the document. */
export async function alertingWarnings(db: Database, document: Alerting): Promise<string[]> {
  const known = await knownToAlerts(db);
  const { rules, receivers, routes } = document;
  const used = new Set(routes.flatMap((route) => route.receivers));
  return [
    ...rules.flatMap((rule, index) =>
      warningsOfRule(rule, rules, known).map((text) => `rules.${index} (${rule.name}): ${text}`),
    ),
    ...Object.entries(receivers).flatMap(([name, receiver]) => [
      ...(used.has(name) ? [] : [`receivers.${name}: no route leads to it`]),
      ...(receiver.type === 'task' && !known.tasks.some((task) => task.name === receiver.task)
        ? [`receivers.${name}: there is no task ${receiver.task}`]
        : []),
    ]),
    ...routes.flatMap((_, index) => warningsOfRoute(document, index, known)),
  ];
}

async function knownToAlerts(db: Database): Promise<KnownToAlerts> {
  const [tasks, pools, heartbeats] = await Promise.all([
    tasksForAlerts(db),
    poolNames(db),
    listHeartbeats(db, { limit: MOST_HEARTBEATS }),
  ]);
  return { tasks, pools, heartbeats: heartbeats.map(({ name, spec }) => ({ name, labels: spec.labels })) };
}

const MOST_HEARTBEATS = 100_000;
