import { act } from '../api/act.ts';

export const usePausePool = act({
  method: 'post',
  path: '/v1/pools/{name}/pause',
  touches: ['pools', 'fleet', 'tasks'],
});
