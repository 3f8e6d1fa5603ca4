import { act } from '../api/act.ts';

export const useFreezeFleet = act({ method: 'put', path: '/v1/freeze', touches: 'all' });

export const useUnfreezeFleet = act({ method: 'delete', path: '/v1/freeze', touches: 'all' });

export const usePausePool = act({
  method: 'post',
  path: '/v1/pools/{name}/pause',
  touches: ['pools', 'fleet', 'tasks'],
});

export const useResumePool = act({
  method: 'post',
  path: '/v1/pools/{name}/resume',
  touches: ['pools', 'fleet', 'tasks'],
});

export const useDrainWorker = act({
  method: 'post',
  path: '/v1/workers/{id}/drain',
  touches: ['workers', 'fleet', 'pools'],
});

export const useResumeWorker = act({
  method: 'post',
  path: '/v1/workers/{id}/resume',
  touches: ['workers', 'fleet', 'pools'],
});

export const useReleaseKey = act({ method: 'post', path: '/v1/key/release', touches: ['keys', 'key', 'runs', 'run'] });
