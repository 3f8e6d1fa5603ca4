import { act } from '../api/act.ts';

export const useReleaseKey = act({ method: 'post', path: '/v1/key/release', touches: ['keys', 'key', 'runs', 'run'] });
