import { action } from '../api/action.ts';

export const useCancelRun = action({
  method: 'post',
  path: '/v1/runs/{id}/cancel',
  touches: ['runs', 'run', 'batches', 'tasks'],
});

export const useRerunRun = action({
  method: 'post',
  path: '/v1/runs/{id}/rerun',
  touches: ['runs', 'run', 'errors', 'tasks'],
});

/** Says what became of a run that is unknown. */
export const useResolveRun = action({
  method: 'post',
  path: '/v1/runs/{id}/resolve',
  touches: ['runs', 'run', 'errors', 'tasks', 'keys'],
});
