import { action } from '../api/action.ts';

export const useSignIn = action({ method: 'post', path: '/v1/session', touches: 'all' });

/** By the code of a link that `npm run dev` prints. */
export const useSignInByCode = action({ method: 'post', path: '/v1/session/code', touches: 'all' });

/** The session is over at once, everywhere. */
export const useSignOut = action({ method: 'delete', path: '/v1/session', touches: [] });
