import { act } from '../api/act.ts';

/** Runs a task now. */
export const useTriggerTask = act({
  method: 'post',
  path: '/v1/tasks/{id}/trigger',
  touches: ['tasks', 'runs', 'keys'],
});
