import { act } from '../api/act.ts';

export const useCutOver = act({
  method: 'post',
  path: '/v1/shadow/cutovers',
  touches: ['shadow', 'tasks', 'forecast'],
});
