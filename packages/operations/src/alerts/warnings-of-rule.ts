import { DAY, DRIFT_KINDS } from '@escapement/core';
import {
  type AlertRule,
  KINDS_OF_FLEET,
  KINDS_OF_MONITORS,
  KINDS_OF_POOLS,
  type RulesOfKind,
  rulesFor,
  rulesForMonitor,
} from '@escapement/core/alerts';
import type { Labels } from '@escapement/core/rights';
import { TOKENS_AHEAD_DAYS } from '@escapement/store';
import { type KnownToAlerts, notThere } from './known-to-alerts.ts';

/** Of one rule among all: what keeps it from firing. */
export function warningsOfRule(rule: AlertRule, rules: readonly AlertRule[], known: KnownToAlerts): string[] {
  const { kind } = rule.when;
  if (KINDS_OF_FLEET.has(kind)) return ofFleet(rule, known);
  return KINDS_OF_MONITORS.has(kind) ? ofMonitors(rule, rules, known) : ofTasks(rule, rules, known);
}

function ofFleet({ on: { task, labels, pool }, when }: AlertRule, { pools }: KnownToAlerts): string[] {
  const { kind } = when;
  if (task !== undefined || labels !== undefined)
    return [`${kind} is about the fleet or a pool, so that the task or the labels are not looked at`];
  if (when.kind === 'drift') return (when.kinds ?? []).flatMap((each) => notThere('kind of drift', each, DRIFT_KINDS));
  if (when.kind === 'token-expires' && when.withinMs > TOKENS_AHEAD_DAYS * DAY)
    return [`tokens are looked at ${TOKENS_AHEAD_DAYS} days ahead, and no further`];
  if (pool === undefined) return [];
  return KINDS_OF_POOLS.has(kind)
    ? notThere('pool', pool, pools)
    : [`${kind} is about the fleet, so that the pool is not looked at`];
}

function ofTasks(rule: AlertRule, rules: readonly AlertRule[], { tasks }: KnownToAlerts): string[] {
  const { task, labels, pool } = rule.on;
  if (task !== undefined) {
    const names = tasks.map(({ name }) => name);
    if (!names.includes(task)) return notThere('task', task, names);
  }
  if (labels && !tasks.some(hasAll(labels))) return ['no task has these labels'];
  if (pool !== undefined && !tasks.some((each) => each.pool === pool)) return [`no task is of the pool ${pool}`];
  return overruled(rule, tasks, { found: (task) => rulesFor(rules, task), what: 'tasks' });
}

function ofMonitors(rule: AlertRule, rules: readonly AlertRule[], { monitors }: KnownToAlerts): string[] {
  const { monitor, labels } = rule.on;
  if (monitor !== undefined) {
    const names = monitors.map(({ name }) => name);
    if (!names.includes(monitor)) return notThere('monitor', monitor, names);
  }
  if (labels && !monitors.some(hasAll(labels))) return ['no monitor has these labels'];
  return overruled(rule, monitors, { found: (each) => rulesForMonitor(rules, each), what: 'monitors' });
}

function hasAll(labels: Labels): (each: { labels: Labels }) => boolean {
  return (each) => Object.entries(labels).every(([key, value]) => each.labels[key] === value);
}

function overruled<Ruled>(
  { name, enabled }: AlertRule,
  all: readonly Ruled[],
  { found, what }: { found: (each: Ruled) => readonly RulesOfKind[]; what: string },
): string[] {
  const counts = (each: Ruled) => found(each).some(({ rules }) => rules.some((rule) => rule.name === name));
  if (!enabled || all.length === 0 || all.length > MOST_COMPARED || all.some(counts)) return [];
  return [`it can never fire: narrower rules of its kind count for all its ${what}`];
}

/** To compare all rules with all tasks takes time for each. */
const MOST_COMPARED = 1000;
