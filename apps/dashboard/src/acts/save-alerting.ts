import { act } from '../api/act.ts';

export const useSaveAlerting = act({
  method: 'put',
  path: '/v1/alerting',
  touches: ['alerting', 'alert-rules', 'alerts', 'tasks', 'doctor'],
  isSecret: true,
});
