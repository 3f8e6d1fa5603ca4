import { act } from '../api/act.ts';

export const useRetryRun = act({
  method: 'post',
  path: '/v1/runs/{id}/retry',
  touches: ['runs', 'run', 'errors', 'tasks'],
});
