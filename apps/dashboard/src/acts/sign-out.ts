import { act } from '../api/act.ts';

/** The session is over at once, everywhere. */
export const useSignOut = act({ method: 'delete', path: '/v1/session', touches: [] });
