import { action } from '../api/action.ts';

export const useStartBackfill = action({ method: 'post', path: '/v1/backfills', touches: ['backfills', 'runs'] });

export const useResumeBackfill = action({
  method: 'post',
  path: '/v1/backfills/{id}/resume',
  touches: ['backfills', 'runs'],
});

export const useStopBackfill = action({
  method: 'post',
  path: '/v1/backfills/{id}/stop',
  touches: ['backfills', 'runs', 'keys'],
});
