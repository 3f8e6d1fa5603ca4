import { act } from '../api/act.ts';

/** Replays the last runs of a task another way. Nothing is written. */
export const useReplayTask = act({ method: 'post', path: '/v1/tasks/{id}/what-if', touches: [] });
