import { act } from '../api/act.ts';

export const useChangePassword = act({ method: 'put', path: '/v1/user/password', touches: ['users'], isSecret: true });
