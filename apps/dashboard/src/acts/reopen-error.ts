import { act } from '../api/act.ts';

export const useReopenError = act({
  method: 'post',
  path: '/v1/errors/{fingerprint}/reopen',
  touches: ['errors'],
});
