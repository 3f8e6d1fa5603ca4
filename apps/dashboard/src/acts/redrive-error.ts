import { act } from '../api/act.ts';

export const useRedriveError = act({
  method: 'post',
  path: '/v1/errors/{fingerprint}/redrive',
  touches: ['runs', 'errors', 'tasks', 'bulk'],
});
