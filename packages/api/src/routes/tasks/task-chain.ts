import { LIFECYCLE_EVENTS, TASK_STATES } from '@escapement/core';
import { chainOfTask } from '@escapement/operations';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { taskOf, taskParams, theTask } from './task-of.ts';

const chain = z
  .object({
    tasks: z
      .array(z.object({ id: z.string(), name: z.string(), state: z.enum(TASK_STATES) }))
      .meta({ description: 'The task itself, and all that lead to it or follow it.' }),
    links: z
      .array(
        z.object({
          from: z.string(),
          to: z.string(),
          on: z.array(z.enum(['success', 'failure', 'always', ...LIFECYCLE_EVENTS])),
        }),
      )
      .meta({ description: 'Runs of `to` follow those of `from`, by their ids.' }),
    hidden: z.int().meta({ description: 'Tasks that you may not see; those behind them are left out, too.' }),
    isCut: z
      .boolean()
      .meta({ description: 'There are more than 200 before it or after it: only the nearest are here.' }),
  })
  .meta({ id: 'TaskChain' });

export const getTaskChain = route({
  tag: 'tasks',
  params: taskParams,
  missing: ['unknown_task'],
  audit: null,
  id: 'getTaskChain',
  method: 'GET',
  path: '/v1/tasks/:id/chain',
  summary: 'The tasks whose runs start those of a task, and those that its runs start.',
  description: 'By `then`, and by `onStart` and its like. What handlers start themselves is not known before.',
  right: 'read',
  on: theTask,
  answer: chain,
  handle: async (asked) => {
    const { db, by, clock } = asked;
    return await chainOfTask(db, await taskOf(asked), { by: by(), now: clock.now() });
  },
});
