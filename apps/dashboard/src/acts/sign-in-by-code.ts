import { act } from '../api/act.ts';

/** By the code of a link that `npm run dev` prints. */
export const useSignInByCode = act({ method: 'post', path: '/v1/session/code', touches: 'all' });
