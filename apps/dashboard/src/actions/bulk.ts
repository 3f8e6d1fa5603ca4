import { action } from '../api/action.ts';

/** Has an act done to many runs or tasks, by a scheduler. */
export const useStartBulk = action({
  method: 'post',
  path: '/v1/bulk',
  touches: ['bulk', 'recovery', 'runs', 'tasks'],
});

export const usePauseBulk = action({ method: 'post', path: '/v1/bulk/{id}/pause', touches: ['bulk', 'recovery'] });

export const useResumeBulk = action({ method: 'post', path: '/v1/bulk/{id}/resume', touches: ['bulk', 'recovery'] });

export const useCancelBulk = action({ method: 'post', path: '/v1/bulk/{id}/cancel', touches: ['bulk', 'recovery'] });
