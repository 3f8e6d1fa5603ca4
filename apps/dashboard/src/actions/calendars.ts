import { action } from '../api/action.ts';

export const useSaveCalendar = action({
  method: 'put',
  path: '/v1/calendars/{name}',
  touches: ['calendars', 'tasks', 'task', 'forecast'],
});

export const useDeleteCalendar = action({ method: 'delete', path: '/v1/calendars/{name}', touches: ['calendars'] });
