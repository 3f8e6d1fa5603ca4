import { act } from '../api/act.ts';

export const useCreateTask = act({ method: 'post', path: '/v1/tasks', touches: ['tasks', 'task', 'forecast'] });

export const usePatchTask = act({ method: 'patch', path: '/v1/tasks/{id}', touches: ['tasks', 'task', 'forecast'] });

/** Saves an older version as the newest. `If-Match` has the version that was looked at. */
export const useRevertTask = act({ method: 'post', path: '/v1/tasks/{id}/revert', touches: ['tasks', 'preview'] });

/** Runs a task now. */
export const useTriggerTask = act({
  method: 'post',
  path: '/v1/tasks/{id}/trigger',
  touches: ['tasks', 'runs', 'keys'],
});

export const usePauseTask = act({ method: 'post', path: '/v1/tasks/{id}/pause', touches: ['tasks'] });

export const useResumeTask = act({ method: 'post', path: '/v1/tasks/{id}/resume', touches: ['tasks'] });

/** Replays the last runs of a task another way. Nothing is written. */
export const useReplayTask = act({ method: 'post', path: '/v1/tasks/{id}/what-if', touches: [] });
