import { act } from '../api/act.ts';

export const useCreateTask = act({ method: 'post', path: '/v1/tasks', touches: ['tasks', 'task', 'forecast'] });
