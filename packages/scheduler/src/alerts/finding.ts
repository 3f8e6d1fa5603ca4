import { type AlertAbout, type AlertRule, alertLabels } from '@escapement/core/alerts';
import type { AlertFinding, TaskForAlert, TroubledMonitor } from '@escapement/store';

/** What is said of a finding beside its rule and subject. */
export type Said = Pick<AlertFinding, 'summary' | 'since'> & Partial<Pick<AlertFinding, 'why' | 'runs'>>;

export function ofTask(rule: AlertRule, task: TaskForAlert, said: Said): AlertFinding {
  return finding(rule, { subject: `task:${task.id}`, taskId: task.id }, { task }, said);
}

export function ofPool(rule: AlertRule, pool: string, said: Said): AlertFinding {
  return finding(rule, { subject: `pool:${pool}`, taskId: null }, { pool }, said);
}

export function ofFleet(rule: AlertRule, said: Said): AlertFinding {
  return finding(rule, { subject: 'fleet', taskId: null }, {}, said);
}

/** Of one process, token or queue of the fleet; its labels are those of the fleet. */
export function ofPart(rule: AlertRule, subject: string, said: Said): AlertFinding {
  return finding(rule, { subject, taskId: null }, {}, said);
}

export function ofMonitor(rule: AlertRule, { id, name, spec }: TroubledMonitor, said: Said): AlertFinding {
  const about = { monitor: { name, labels: spec.labels } };
  return finding(rule, { subject: `monitor:${id}`, taskId: null }, about, said);
}

/** Of a task that a rule names, and that is not there. */
export function ofMissingTask(rule: AlertRule, name: string, said: Said): AlertFinding {
  return finding(rule, { subject: `name:${name}`, taskId: null }, { task: { name } }, said);
}

function finding(
  rule: AlertRule,
  of: Pick<AlertFinding, 'subject' | 'taskId'>,
  about: AlertAbout,
  { summary, since, why = [], runs = [] }: Said,
): AlertFinding {
  const { name, when, severity, forMs } = rule;
  const labels = alertLabels(rule, about);
  const shown = runs.slice(0, 5).map(({ id, scheduledFor }) => ({ id, scheduledFor }));
  return { rule: name, kind: when.kind, severity, forMs, ...of, labels, summary, since, why, runs: shown };
}
