import { act } from '../api/act.ts';

export const useImportCrontab = act({
  method: 'post',
  path: '/v1/import/crontab',
  touches: ['tasks', 'task', 'forecast'],
});

export const useCutOver = act({
  method: 'post',
  path: '/v1/shadow/cutovers',
  touches: ['shadow', 'tasks', 'forecast'],
});

export const useSettleCutover = act({
  method: 'post',
  path: '/v1/shadow/cutovers/{line}/settle',
  touches: ['shadow', 'tasks', 'runs', 'forecast'],
});
