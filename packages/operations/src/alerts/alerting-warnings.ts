import { type Alerting, type AlertRule, KINDS_OF_FLEET, nearest, rulesFor } from '@escapement/core';
import { type Database, type TaskForAlert, tasksForAlerts } from '@escapement/store';

/** What is allowed, and likely a mistake: each with its place in the document. */
export async function alertingWarnings(db: Database, { rules, receivers, routes }: Alerting): Promise<string[]> {
  const tasks = await tasksForAlerts(db);
  const used = new Set(routes.flatMap((route) => route.receivers));
  const first = routes.findIndex(({ match, hours, continue: goesOn }) => match === undefined && !hours && !goesOn);
  return [
    ...rules.flatMap((rule, index) =>
      warningsOfRule(rule, rules, tasks).map((text) => `rules.${index} (${rule.name}): ${text}`),
    ),
    ...Object.keys(receivers).flatMap((name) => (used.has(name) ? [] : [`receivers.${name}: no route leads to it`])),
    ...routes.flatMap((route, index) => {
      const place = `routes.${index}`;
      if (first !== -1 && index > first) return [`${place}: routes.${first} takes all alerts, so that none comes here`];
      return route.receivers.length === 0 ? [`${place}: nobody is behind it: what takes it is told to nobody`] : [];
    }),
  ];
}

function warningsOfRule(rule: AlertRule, rules: readonly AlertRule[], tasks: readonly TaskForAlert[]): string[] {
  const { on, when } = rule;
  const { task, labels, pool } = on;
  if (KINDS_OF_FLEET.has(when.kind))
    return task === undefined && labels === undefined
      ? []
      : [`${when.kind} is about the fleet or a pool, so that the task or the labels are not looked at`];
  if (task !== undefined && !tasks.some(({ name }) => name === task)) {
    const near = nearest(
      task,
      tasks.map(({ name }) => name),
    );
    return [`there is no task ${task}${near ? `; did you mean ${near}?` : ''}`];
  }
  if (labels && !tasks.some((each) => Object.entries(labels).every(([key, value]) => each.labels[key] === value)))
    return ['no task has these labels'];
  if (pool !== undefined && !tasks.some((each) => each.pool === pool)) return [`no task is of the pool ${pool}`];
  const counts = (each: TaskForAlert) =>
    rulesFor(rules, each).some(({ rules: counting }) => counting.some(({ name }) => name === rule.name));
  if (rule.enabled && tasks.length > 0 && tasks.length <= MOST_COMPARED && !tasks.some(counts))
    return ['it can never fire: narrower rules of its kind count for all its tasks'];
  return [];
}

/** To compare all rules with all tasks takes time for each. */
const MOST_COMPARED = 1000;
