/** How a task stands. `resting`: a run of it has decided that it does not run again. `unplannable`: it cannot be planned. */
export const TASK_STATES = ['active', 'paused', 'resting', 'unplannable'] as const;

export type StateOfTask = (typeof TASK_STATES)[number];
