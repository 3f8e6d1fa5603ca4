import { act } from '../api/act.ts';

export const useMuteError = act({
  method: 'post',
  path: '/v1/errors/{fingerprint}/mute',
  touches: ['errors'],
});

export const useResolveError = act({
  method: 'post',
  path: '/v1/errors/{fingerprint}/resolve',
  touches: ['errors'],
});

export const useReopenError = act({
  method: 'post',
  path: '/v1/errors/{fingerprint}/reopen',
  touches: ['errors'],
});

export const useRedriveError = act({
  method: 'post',
  path: '/v1/errors/{fingerprint}/redrive',
  touches: ['runs', 'errors', 'tasks', 'bulk'],
});
