import { act } from '../api/act.ts';

export const useGrantUser = act({ method: 'put', path: '/v1/user/grant', touches: ['users', 'me'] });
