import { act } from '../api/act.ts';

export const useUnfreezeFleet = act({ method: 'delete', path: '/v1/freeze', touches: 'all' });
