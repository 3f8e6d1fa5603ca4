import { act } from '../api/act.ts';

export const useSignIn = act({ method: 'post', path: '/v1/session', touches: 'all' });
