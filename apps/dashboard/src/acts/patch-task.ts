import { act } from '../api/act.ts';

export const usePatchTask = act({ method: 'patch', path: '/v1/tasks/{id}', touches: ['tasks', 'task', 'forecast'] });
