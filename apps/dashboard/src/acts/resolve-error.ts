import { act } from '../api/act.ts';

export const useResolveError = act({
  method: 'post',
  path: '/v1/errors/{fingerprint}/resolve',
  touches: ['errors'],
});
