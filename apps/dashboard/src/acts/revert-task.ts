import { act } from '../api/act.ts';

/** Saves an older version as the newest. `If-Match` has the version that was looked at. */
export const useRevertTask = act({ method: 'post', path: '/v1/tasks/{id}/revert', touches: ['tasks', 'preview'] });
