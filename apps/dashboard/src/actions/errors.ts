import { action } from '../api/action.ts';

export const useMuteError = action({
  method: 'post',
  path: '/v1/errors/{fingerprint}/mute',
  touches: ['errors'],
});

export const useResolveError = action({
  method: 'post',
  path: '/v1/errors/{fingerprint}/resolve',
  touches: ['errors'],
});

export const useReopenError = action({
  method: 'post',
  path: '/v1/errors/{fingerprint}/reopen',
  touches: ['errors'],
});

export const useRedriveError = action({
  method: 'post',
  path: '/v1/errors/{fingerprint}/redrive',
  touches: ['runs', 'errors', 'tasks', 'bulk'],
});
