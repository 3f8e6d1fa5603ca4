import { parseSelector } from '@escapement/core';
import { labelsSeen, requireTask } from '@escapement/operations';
import { heldTasks } from '@escapement/store';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { at } from '../../schemas/values.ts';

export const listHeldTasks = route({
  id: 'listHeldTasks',
  method: 'GET',
  path: '/v1/recovery',
  tag: 'recovery',
  summary: 'What is held after an outage until somebody decides, by task, the oldest first.',
  description:
    'The runs themselves: `GET /v1/runs?query=state:held`. To let them go or to drop them: `POST /v1/bulk` with `run_held` or `drop_held`.',
  right: 'read',
  on: ({ query }) => (query.task === undefined ? ('some' as const) : { task: query.task }),
  audit: null,
  missing: ['unknown_task'],
  query: z.strictObject({ task: z.string().min(1).max(250).optional(), label: z.string().max(1000).optional() }),
  answer: z
    .object({ items: z.array(z.object({ task: z.string(), held: z.int(), firstAt: at, lastAt: at })) })
    .meta({ id: 'HeldTasks' }),
  handle: async ({ db, by, query: { task, label } }) => {
    const asked = label === undefined ? undefined : parseSelector(label);
    if (task !== undefined) await requireTask(db, task);
    const labels = task === undefined ? labelsSeen(db, by(), asked) : asked;
    return { items: await heldTasks(db, { task, labels }) };
  },
});
