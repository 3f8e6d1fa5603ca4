/** Under which name of a task its runs are counted. */
export type TaskLabel = (task: string) => string;

/** What the tasks beyond the bound are counted under. */
export const OTHER_TASKS = 'other';

/**
 * The first `most` tasks that a process meets keep their names, all others share one: each name is a time series for each metric, state
 * and process, and a monitoring system pays for every one of them. 0: no name is told.
 */
export function boundedTaskLabel(most: number): TaskLabel {
  const named = new Set<string>();
  return (task) => {
    if (most === 0) return '';
    if (named.has(task)) return task;
    if (named.size >= most) return OTHER_TASKS;
    named.add(task);
    return task;
  };
}
