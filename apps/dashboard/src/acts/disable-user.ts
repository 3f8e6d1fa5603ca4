import { act } from '../api/act.ts';

export const useDisableUser = act({ method: 'post', path: '/v1/user/disable', touches: ['users'] });
