import { act } from '../api/act.ts';

export const useImportCrontab = act({
  method: 'post',
  path: '/v1/import/crontab',
  touches: ['tasks', 'task', 'forecast'],
});
