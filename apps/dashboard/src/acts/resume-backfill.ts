import { act } from '../api/act.ts';

export const useResumeBackfill = act({
  method: 'post',
  path: '/v1/backfills/{id}/resume',
  touches: ['backfills', 'runs'],
});
