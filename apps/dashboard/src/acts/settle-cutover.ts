import { act } from '../api/act.ts';

export const useSettleCutover = act({
  method: 'post',
  path: '/v1/shadow/cutovers/{line}/settle',
  touches: ['shadow', 'tasks', 'runs', 'forecast'],
});
