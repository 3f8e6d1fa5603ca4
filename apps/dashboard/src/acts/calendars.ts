import { act } from '../api/act.ts';

export const useSaveCalendar = act({
  method: 'put',
  path: '/v1/calendars/{name}',
  touches: ['calendars', 'tasks', 'task', 'forecast'],
});

export const useDeleteCalendar = act({ method: 'delete', path: '/v1/calendars/{name}', touches: ['calendars'] });
