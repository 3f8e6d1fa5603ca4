import { act } from '../api/act.ts';

export const useCancelRun = act({
  method: 'post',
  path: '/v1/runs/{id}/cancel',
  touches: ['runs', 'run', 'batches', 'tasks'],
});
