import { act } from '../api/act.ts';

export const useResumeBulk = act({ method: 'post', path: '/v1/bulk/{id}/resume', touches: ['bulk', 'recovery'] });
