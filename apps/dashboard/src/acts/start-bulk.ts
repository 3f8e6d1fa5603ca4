import { act } from '../api/act.ts';

/** Has an act done to many runs or tasks, by a scheduler. */
export const useStartBulk = act({ method: 'post', path: '/v1/bulk', touches: ['bulk', 'recovery', 'runs', 'tasks'] });
