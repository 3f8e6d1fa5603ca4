import { act } from '../api/act.ts';

export const useAcknowledgeAlert = act({ method: 'post', path: '/v1/alerts/{id}/acknowledge', touches: ['alerts'] });

export const useSilenceAlerts = act({ method: 'post', path: '/v1/silences', touches: ['alerts', 'silences'] });

export const useUnsilenceAlerts = act({ method: 'delete', path: '/v1/silences/{id}', touches: ['alerts', 'silences'] });

export const useSaveAlerting = act({
  method: 'put',
  path: '/v1/alerting',
  touches: ['alerting', 'alert-rules', 'alerts', 'tasks', 'doctor'],
  isSecret: true,
});

export const useTestReceiver = act({ method: 'post', path: '/v1/receivers/{name}/test', touches: ['deliveries'] });
