import { act } from '../api/act.ts';

export const useAddWorkItems = act({ method: 'post', path: '/v1/work-items', touches: ['work-lists', 'work-items'] });

export const useDropWorkList = act({ method: 'delete', path: '/v1/work-items', touches: ['work-lists', 'work-items'] });
