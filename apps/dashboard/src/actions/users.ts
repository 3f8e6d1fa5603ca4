import { action } from '../api/action.ts';

export const useCreateUser = action({ method: 'post', path: '/v1/users', touches: ['users'], isSecret: true });

export const useGrantUser = action({ method: 'put', path: '/v1/user/grant', touches: ['users', 'me'] });

export const useChangePassword = action({
  method: 'put',
  path: '/v1/user/password',
  touches: ['users'],
  isSecret: true,
});

export const useDisableUser = action({ method: 'post', path: '/v1/user/disable', touches: ['users'] });

export const useEnableUser = action({ method: 'post', path: '/v1/user/enable', touches: ['users'] });

export const useDeleteUser = action({ method: 'delete', path: '/v1/user', touches: ['users'] });
