import { act } from '../api/act.ts';

export const useUnsilenceAlerts = act({ method: 'delete', path: '/v1/silences/{id}', touches: ['alerts', 'silences'] });
