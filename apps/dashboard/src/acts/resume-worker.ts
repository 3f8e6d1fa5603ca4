import { act } from '../api/act.ts';

export const useResumeWorker = act({
  method: 'post',
  path: '/v1/workers/{id}/resume',
  touches: ['workers', 'fleet', 'pools'],
});
