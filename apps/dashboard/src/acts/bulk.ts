import { act } from '../api/act.ts';

/** Has an act done to many runs or tasks, by a scheduler. */
export const useStartBulk = act({ method: 'post', path: '/v1/bulk', touches: ['bulk', 'recovery', 'runs', 'tasks'] });

export const usePauseBulk = act({ method: 'post', path: '/v1/bulk/{id}/pause', touches: ['bulk', 'recovery'] });

export const useResumeBulk = act({ method: 'post', path: '/v1/bulk/{id}/resume', touches: ['bulk', 'recovery'] });

export const useCancelBulk = act({ method: 'post', path: '/v1/bulk/{id}/cancel', touches: ['bulk', 'recovery'] });
