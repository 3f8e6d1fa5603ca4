import { act } from '../api/act.ts';

export const useResumePool = act({
  method: 'post',
  path: '/v1/pools/{name}/resume',
  touches: ['pools', 'fleet', 'tasks'],
});
