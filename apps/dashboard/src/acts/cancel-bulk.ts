import { act } from '../api/act.ts';

export const useCancelBulk = act({ method: 'post', path: '/v1/bulk/{id}/cancel', touches: ['bulk', 'recovery'] });
