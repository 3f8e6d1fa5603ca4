import { z } from 'zod';
import { route } from '../../http/route.ts';
import { TRIGGERS, triggerBody, triggerNamed } from '../tasks/trigger.ts';

export const triggerRun = route({
  ...TRIGGERS,
  tag: 'runs',
  id: 'triggerRun',
  path: '/v1/runs',
  summary: 'Run the task of a name, now or at a time: for programs, which know tasks by their names.',
  on: 'action',
  body: triggerBody.extend({
    task: z.string().min(1).max(200).meta({ description: 'The name of the task; a former one will do as well.' }),
  }),
  handle: async (asked) => {
    const { task, ...body } = asked.body;
    return { runs: await triggerNamed(asked, task, body) };
  },
});
