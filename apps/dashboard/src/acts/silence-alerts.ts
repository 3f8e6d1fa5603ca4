import { act } from '../api/act.ts';

export const useSilenceAlerts = act({ method: 'post', path: '/v1/silences', touches: ['alerts', 'silences'] });
