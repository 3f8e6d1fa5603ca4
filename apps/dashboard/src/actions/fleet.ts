import { action } from '../api/action.ts';

export const useFreezeFleet = action({ method: 'put', path: '/v1/freeze', touches: 'all' });

export const useUnfreezeFleet = action({ method: 'delete', path: '/v1/freeze', touches: 'all' });

export const usePausePool = action({
  method: 'post',
  path: '/v1/pools/{name}/pause',
  touches: ['pools', 'fleet', 'tasks'],
});

export const useResumePool = action({
  method: 'post',
  path: '/v1/pools/{name}/resume',
  touches: ['pools', 'fleet', 'tasks'],
});

export const useDrainWorker = action({
  method: 'post',
  path: '/v1/workers/{id}/drain',
  touches: ['workers', 'fleet', 'pools'],
});

export const useResumeWorker = action({
  method: 'post',
  path: '/v1/workers/{id}/resume',
  touches: ['workers', 'fleet', 'pools'],
});

export const useReleaseKey = action({
  method: 'post',
  path: '/v1/key/release',
  touches: ['keys', 'key', 'runs', 'run'],
});
