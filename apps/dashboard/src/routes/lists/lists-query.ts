import { get } from '../../api/get.ts';

/** Runs take items, of which no event tells. */
export const LOOK_MS = 5000;

export const listsQuery = { ...get('/v1/work-lists'), refetchInterval: LOOK_MS };
