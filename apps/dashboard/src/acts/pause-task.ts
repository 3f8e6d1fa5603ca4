import { act } from '../api/act.ts';

export const usePauseTask = act({ method: 'post', path: '/v1/tasks/{id}/pause', touches: ['tasks'] });
