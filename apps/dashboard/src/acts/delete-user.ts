import { act } from '../api/act.ts';

export const useDeleteUser = act({ method: 'delete', path: '/v1/user', touches: ['users'] });
