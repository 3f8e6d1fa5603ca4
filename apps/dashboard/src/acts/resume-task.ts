import { act } from '../api/act.ts';

export const useResumeTask = act({ method: 'post', path: '/v1/tasks/{id}/resume', touches: ['tasks'] });
