import { act } from '../api/act.ts';

export const useTestReceiver = act({ method: 'post', path: '/v1/receivers/{name}/test', touches: ['deliveries'] });
