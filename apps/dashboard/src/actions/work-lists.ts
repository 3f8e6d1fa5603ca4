import { action } from '../api/action.ts';

export const useAddWorkItems = action({
  method: 'post',
  path: '/v1/work-items',
  touches: ['work-lists', 'work-items'],
});

export const useDropWorkList = action({
  method: 'delete',
  path: '/v1/work-items',
  touches: ['work-lists', 'work-items'],
});
