import { act } from '../api/act.ts';

/** Says what became of a run that is unknown. */
export const useResolveRun = act({
  method: 'post',
  path: '/v1/runs/{id}/resolve',
  touches: ['runs', 'run', 'errors', 'tasks', 'keys'],
});
