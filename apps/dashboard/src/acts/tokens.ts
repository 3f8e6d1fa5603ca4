import { act } from '../api/act.ts';

export const useCreateToken = act({ method: 'post', path: '/v1/tokens', touches: ['tokens'], isSecret: true });

export const useRevokeToken = act({ method: 'delete', path: '/v1/tokens/{id}', touches: ['tokens'] });
