import { type AlertRule, alertLabels } from '@escapement/core';
import type { AlertFinding, TaskForAlert } from '@escapement/store';

/** What is said of a finding beside its rule and subject. */
export type Said = Pick<AlertFinding, 'summary' | 'since'> & Partial<Pick<AlertFinding, 'why' | 'runs'>>;

export function ofTask(rule: AlertRule, task: TaskForAlert, said: Said): AlertFinding {
  return finding(rule, { subject: `task:${task.id}`, taskId: task.id, labels: labelsOf(rule, { task }) }, said);
}

export function ofPool(rule: AlertRule, pool: string, said: Said): AlertFinding {
  return finding(rule, { subject: `pool:${pool}`, taskId: null, labels: labelsOf(rule, { pool }) }, said);
}

export function ofFleet(rule: AlertRule, said: Said): AlertFinding {
  return finding(rule, { subject: 'fleet', taskId: null, labels: labelsOf(rule, {}) }, said);
}

/** Of a task that a rule names, and that is not there. */
export function ofMissingTask(rule: AlertRule, name: string, said: Said): AlertFinding {
  const task = { name, labels: {}, pool: '' };
  const { pool: _, ...labels } = labelsOf(rule, { task });
  return finding(rule, { subject: `name:${name}`, taskId: null, labels }, said);
}

function labelsOf(rule: AlertRule, of: Pick<Parameters<typeof alertLabels>[0], 'task' | 'pool'>) {
  return alertLabels({ rule: rule.name, kind: rule.when.kind, severity: rule.severity, ...of });
}

function finding(
  rule: AlertRule,
  about: Pick<AlertFinding, 'subject' | 'taskId' | 'labels'>,
  { summary, since, why = [], runs = [] }: Said,
): AlertFinding {
  const { name, when, severity, forMs } = rule;
  return { rule: name, kind: when.kind, severity, forMs, ...about, summary, since, why, runs: runs.slice(0, 5) };
}

/** In the order in which they come. */
export function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
