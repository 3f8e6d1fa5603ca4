import { action } from '../api/action.ts';

export const useCreateTask = action({ method: 'post', path: '/v1/tasks', touches: ['tasks', 'task', 'forecast'] });

export const usePatchTask = action({ method: 'patch', path: '/v1/tasks/{id}', touches: ['tasks', 'task', 'forecast'] });

/** Saves an older version as the newest. `If-Match` has the version that was looked at. */
export const useRevertTask = action({ method: 'post', path: '/v1/tasks/{id}/revert', touches: ['tasks', 'preview'] });

/** Runs a task now. */
export const useTriggerTask = action({
  method: 'post',
  path: '/v1/tasks/{id}/trigger',
  touches: ['tasks', 'runs', 'keys'],
});

export const usePauseTask = action({ method: 'post', path: '/v1/tasks/{id}/pause', touches: ['tasks'] });

export const useResumeTask = action({ method: 'post', path: '/v1/tasks/{id}/resume', touches: ['tasks'] });

/** Replays the last runs of a task another way. Nothing is written. */
export const useReplayTask = action({ method: 'post', path: '/v1/tasks/{id}/what-if', touches: [] });
