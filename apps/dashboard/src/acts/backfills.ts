import { act } from '../api/act.ts';

export const useStartBackfill = act({ method: 'post', path: '/v1/backfills', touches: ['backfills', 'runs'] });

export const useResumeBackfill = act({
  method: 'post',
  path: '/v1/backfills/{id}/resume',
  touches: ['backfills', 'runs'],
});

export const useStopBackfill = act({
  method: 'post',
  path: '/v1/backfills/{id}/stop',
  touches: ['backfills', 'runs', 'keys'],
});
