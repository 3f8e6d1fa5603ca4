import { act } from '../api/act.ts';

export const useStartBackfill = act({ method: 'post', path: '/v1/backfills', touches: ['backfills', 'runs'] });
