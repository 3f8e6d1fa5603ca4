import { action } from '../api/action.ts';

export const useAcknowledgeAlert = action({ method: 'post', path: '/v1/alerts/{id}/acknowledge', touches: ['alerts'] });

export const useSilenceAlerts = action({ method: 'post', path: '/v1/silences', touches: ['alerts', 'silences'] });

export const useUnsilenceAlerts = action({
  method: 'delete',
  path: '/v1/silences/{id}',
  touches: ['alerts', 'silences'],
});

export const useSaveAlerting = action({
  method: 'put',
  path: '/v1/alerting',
  touches: ['alerting', 'alert-rules', 'alerts', 'tasks', 'doctor'],
  isSecret: true,
});

export const useTestReceiver = action({ method: 'post', path: '/v1/receivers/{name}/test', touches: ['deliveries'] });
