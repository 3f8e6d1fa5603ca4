import { act } from '../api/act.ts';

export const useMuteError = act({
  method: 'post',
  path: '/v1/errors/{fingerprint}/mute',
  touches: ['errors'],
});
