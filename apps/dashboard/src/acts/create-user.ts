import { act } from '../api/act.ts';

export const useCreateUser = act({ method: 'post', path: '/v1/users', touches: ['users'], isSecret: true });
