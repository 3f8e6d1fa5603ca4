import { act } from '../api/act.ts';

export const useEnableUser = act({ method: 'post', path: '/v1/user/enable', touches: ['users'] });
