import { act } from '../api/act.ts';

export const useAcknowledgeAlert = act({ method: 'post', path: '/v1/alerts/{id}/acknowledge', touches: ['alerts'] });
