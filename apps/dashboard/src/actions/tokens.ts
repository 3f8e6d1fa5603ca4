import { action } from '../api/action.ts';

export const useCreateToken = action({ method: 'post', path: '/v1/tokens', touches: ['tokens'], isSecret: true });

export const useRevokeToken = action({ method: 'delete', path: '/v1/tokens/{id}', touches: ['tokens'] });
