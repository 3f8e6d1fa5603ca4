import { act } from '../api/act.ts';

export const useFreezeFleet = act({ method: 'put', path: '/v1/freeze', touches: 'all' });
