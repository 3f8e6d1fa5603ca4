import { act } from '../api/act.ts';

export const useSignIn = act({ method: 'post', path: '/v1/session', touches: 'all' });

/** By the code of a link that `npm run dev` prints. */
export const useSignInByCode = act({ method: 'post', path: '/v1/session/code', touches: 'all' });

/** The session is over at once, everywhere. */
export const useSignOut = act({ method: 'delete', path: '/v1/session', touches: [] });
