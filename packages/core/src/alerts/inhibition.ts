import type { Labels } from '../rights/labels.ts';
import type { ConditionKind } from './condition.ts';

/** Nothing starts because of these, in the whole fleet. */
const STOPS_FLEET: readonly ConditionKind[] = ['planner-silent', 'redis-away', 'queue-blocked'];
/** Nothing starts because of these, in their pool. */
const STOPS_POOL: readonly ConditionKind[] = ['no-worker'];
/** What follows from it that nothing starts. */
const NOT_STARTED: ReadonlySet<ConditionKind> = new Set([
  'late',
  'missed',
  'waiting',
  'no-success',
  'not-started-by',
  'overdue',
  'planner-lag',
  'workers-missing',
]);

/** Of a task of which this is told, these say nothing new. */
const OF_TASK: Partial<Record<ConditionKind, readonly ConditionKind[]>> = {
  failed: ['no-success', 'quarantined'],
  unknown: ['no-success'],
  held: ['no-success', 'not-started-by', 'late'],
  unplannable: ['no-success', 'not-started-by'],
  late: ['no-success', 'not-started-by'],
  missed: ['no-success', 'not-started-by'],
};

/** What inhibition asks of an alert. */
export interface Inhibiting {
  kind: ConditionKind;
  labels: Labels;
}

/** Whether one alert is the wider cause of another, which is not told while it fires. */
export function inhibits(cause: Inhibiting, other: Inhibiting): boolean {
  if (cause.kind === other.kind) return false;
  const { task, pool } = other.labels;
  const { task: itsTask, pool: itsPool } = cause.labels;
  if (STOPS_FLEET.includes(cause.kind)) return NOT_STARTED.has(other.kind) || STOPS_POOL.includes(other.kind);
  if (STOPS_POOL.includes(cause.kind)) return NOT_STARTED.has(other.kind) && pool === itsPool;
  return task !== undefined && task === itsTask && (OF_TASK[cause.kind]?.includes(other.kind) ?? false);
}
