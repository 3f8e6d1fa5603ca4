/**
 * How a task stands. `finished`: a run of it has decided that it does not run again. `unplannable`: it cannot be planned. `never_fires`: its schedule
 * has no instant to come, and did not come to an end as it says itself.
 */
export const TASK_STATES = ['active', 'paused', 'finished', 'unplannable', 'never_fires'] as const;

export type StateOfTask = (typeof TASK_STATES)[number];
