import { act } from '../api/act.ts';

export const useRevokeToken = act({ method: 'delete', path: '/v1/tokens/{id}', touches: ['tokens'] });
