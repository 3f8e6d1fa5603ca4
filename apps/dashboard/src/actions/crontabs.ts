import { action } from '../api/action.ts';

export const useImportCrontab = action({
  method: 'post',
  path: '/v1/import/crontab',
  touches: ['tasks', 'task', 'forecast'],
});

export const useCutOver = action({
  method: 'post',
  path: '/v1/shadow/cutovers',
  touches: ['shadow', 'tasks', 'forecast'],
});

export const useSettleCutover = action({
  method: 'post',
  path: '/v1/shadow/cutovers/{line}/settle',
  touches: ['shadow', 'tasks', 'runs', 'forecast'],
});
