import { act } from '../api/act.ts';

export const useDeleteCalendar = act({ method: 'delete', path: '/v1/calendars/{name}', touches: ['calendars'] });
