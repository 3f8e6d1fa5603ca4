import type { Labels } from '../rights/labels.ts';
import type { AlertRule } from './alerting.ts';
import { type ConditionKind, KINDS_OF_FLEET, KINDS_OF_MONITORS } from './condition.ts';

/** What rules ask of a task. */
export interface RuledTask {
  name: string;
  labels: Labels;
  pool: string;
}

/** What rules ask of a monitor. */
export type RuledMonitor = Pick<RuledTask, 'name' | 'labels'>;

/** The narrowest first. */
export const RULE_LEVELS = ['task', 'monitor', 'labels', 'pool', 'all'] as const;
export type RuleLevel = (typeof RULE_LEVELS)[number];

export interface RulesOfKind {
  kind: ConditionKind;
  level: RuleLevel;
  /** Those that count. None: they are not enabled. */
  rules: readonly AlertRule[];
  /** Wider ones, which do not count for the task. */
  overruled: readonly AlertRule[];
}

/** Which rules count for a task: of each kind those of the narrowest level that has any, all of them. */
export function rulesFor(rules: readonly AlertRule[], task: RuledTask): RulesOfKind[] {
  const { name, labels, pool } = task;
  const ofTasks = rules.filter(({ when }) => !KINDS_OF_FLEET.has(when.kind) && !KINDS_OF_MONITORS.has(when.kind));
  return narrowest(ofTasks, { task: name, labels, pool });
}

/** Which rules count for a monitor, as for a task. */
export function rulesForMonitor(rules: readonly AlertRule[], { name, labels }: RuledMonitor): RulesOfKind[] {
  const ofMonitors = rules.filter(({ when }) => KINDS_OF_MONITORS.has(when.kind));
  return narrowest(ofMonitors, { monitor: name, labels });
}

interface Ruled {
  task?: string;
  monitor?: string;
  labels: Labels;
  pool?: string;
}

function narrowest(rules: readonly AlertRule[], of: Ruled): RulesOfKind[] {
  const byKind = new Map<ConditionKind, AlertRule[]>();
  for (const rule of rules) {
    const { kind } = rule.when;
    if (!isFor(rule, of)) continue;
    byKind.set(kind, [...(byKind.get(kind) ?? []), rule]);
  }
  return [...byKind].map(([kind, candidates]) => {
    const level = RULE_LEVELS.find((each) => candidates.some((rule) => levelOf(rule) === each)) ?? 'all';
    const counting = candidates.filter((rule) => levelOf(rule) === level);
    return {
      kind,
      level,
      rules: counting.filter(({ enabled }) => enabled),
      overruled: candidates.filter((rule) => !counting.includes(rule)),
    };
  });
}

/** The rules that count for a task, of these kinds. */
export function countingRules(
  rules: readonly AlertRule[],
  task: RuledTask,
  kinds: ReadonlySet<ConditionKind>,
): AlertRule[] {
  return rulesFor(
    rules.filter(({ when }) => kinds.has(when.kind)),
    task,
  ).flatMap((found) => found.rules);
}

function levelOf({ on }: Pick<AlertRule, 'on'>): RuleLevel {
  if (on.task !== undefined) return 'task';
  if (on.monitor !== undefined) return 'monitor';
  if (on.labels !== undefined) return 'labels';
  return on.pool === undefined ? 'all' : 'pool';
}

function isFor({ on }: AlertRule, { task, monitor, labels, pool }: Ruled): boolean {
  if (on.task !== undefined) return on.task === task;
  if (on.monitor !== undefined) return on.monitor === monitor;
  if (on.pool !== undefined) return on.pool === pool;
  return Object.entries(on.labels ?? {}).every(([key, value]) => labels[key] === value);
}
