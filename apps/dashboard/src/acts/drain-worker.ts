import { act } from '../api/act.ts';

export const useDrainWorker = act({
  method: 'post',
  path: '/v1/workers/{id}/drain',
  touches: ['workers', 'fleet', 'pools'],
});
