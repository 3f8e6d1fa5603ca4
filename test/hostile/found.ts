import type { Mutation } from './mutations.ts';

const of = (place: string, value: string): Mutation => {
  const [table = '', column = '', ...path] = place.split('.');
  return { table, column, path, value };
};

/** What has stopped a pass of a scheduler once: tried each time. */
export const FOUND: readonly Mutation[] = [
  of('task.rules.calendars.exclude', "'{}'"),
  of('task.rules.calendars.exclude', "'9007199254740993'"),
  of('task.rules.catchUp.max', "'-1'"),
  of('task.rules.catchUp.max', "'{}'"),
  of('task.definition.retentionDays', "'2147483647'"),
  of('task.definition.delivery', "'9007199254740993'"),
  of('task_plan.next_run_at', "'-infinity'"),
  of('task_change.created_by', "'{}'"),
  of('request.asked_by', "'{}'"),
  of('alert_silence.match', "''"),
  of('run.due_at', "'4000-01-01 BC'"),
  of('monitor.running', "'1e400'"),
  of('calendar_version.definition', "'{}'"),
  of('rate_bucket.longest_ms', '9223372036854775807'),
];
