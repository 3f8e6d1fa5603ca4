import { act } from '../api/act.ts';

export const useCreateUser = act({ method: 'post', path: '/v1/users', touches: ['users'], isSecret: true });

export const useGrantUser = act({ method: 'put', path: '/v1/user/grant', touches: ['users', 'me'] });

export const useChangePassword = act({ method: 'put', path: '/v1/user/password', touches: ['users'], isSecret: true });

export const useDisableUser = act({ method: 'post', path: '/v1/user/disable', touches: ['users'] });

export const useEnableUser = act({ method: 'post', path: '/v1/user/enable', touches: ['users'] });

export const useDeleteUser = act({ method: 'delete', path: '/v1/user', touches: ['users'] });
