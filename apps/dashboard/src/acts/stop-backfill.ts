import { act } from '../api/act.ts';

export const useStopBackfill = act({
  method: 'post',
  path: '/v1/backfills/{id}/stop',
  touches: ['backfills', 'runs', 'keys'],
});
