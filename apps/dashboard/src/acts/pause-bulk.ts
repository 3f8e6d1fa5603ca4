import { act } from '../api/act.ts';

export const usePauseBulk = act({ method: 'post', path: '/v1/bulk/{id}/pause', touches: ['bulk', 'recovery'] });
