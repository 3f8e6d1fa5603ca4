import type { TaskDefinition } from '@escapement/core';
import { checkUnknownTask } from '@escapement/core';
import { checkEgress, checkMayRename, checkSecrets, previewTask, renamed } from '@escapement/operations';
import { findTask, pingDatabase, type Task } from '@escapement/store';
import { z } from 'zod';
import { type Asked, type RequestContext, route } from '../../http/route.ts';
import { definitionIn, preview } from '../../schemas/task.ts';
import { instantIn } from '../../schemas/values.ts';
import { changed, changeIn, daysIn, FIRES, refuseOtherName, versionOf, zoneIn } from './change-of-task.ts';
import { taskOf, taskParams, theTask } from './task-of.ts';

const about = { tag: 'tasks', method: 'POST', right: 'edit', audit: null, answer: preview } as const;

const previewQuery = z.strictObject({
  effectiveAt: instantIn.optional().meta({ description: 'From when on it would count. Default: now.' }),
  days: daysIn,
  count: z.coerce.number().int().min(1).max(100).default(FIRES).meta({ description: 'So many next fires are told.' }),
  timeZone: zoneIn,
});

export const previewNewTask = route({
  ...about,
  id: 'previewNewTask',
  path: '/v1/preview',
  summary: 'What a definition would do, and change about the task of its name. Nothing is written.',
  on: ({ body }) => ({ task: body.name }),
  query: previewQuery,
  body: definitionIn,
  handle: async (asked) => {
    const definition = await checked(asked, checkUnknownTask(asked.body));
    return await previewOf(asked, { task: await findTask(asked.db, definition.name), definition });
  },
});

export const previewTaskChange = route({
  ...about,
  id: 'previewTaskChange',
  path: '/v1/tasks/:id/preview',
  summary: 'What a change of a task, a revert or another name would change. Nothing is written.',
  on: theTask,
  params: taskParams,
  missing: ['unknown_task', 'unknown_version'],
  query: previewQuery.extend({
    version: z.coerce.number().int().min(1).optional().meta({
      description: 'The change is one of this older version, as after a revert. Default: of what is in force.',
    }),
    name: z
      .string()
      .min(1)
      .max(250)
      .optional()
      .meta({ description: 'As if the task were given this name. What a rename would be refused for is refused.' }),
  }),
  body: changeIn,
  handle: async (asked) => {
    const { db, body, query } = asked;
    const task = await taskOf(asked);
    const before = query.version === undefined ? task.definition : await versionOf(db, task, query.version);
    const definition = await checked(asked, checkUnknownTask(changed(before, body)));
    refuseOtherName(task, definition);
    if (query.name === undefined) return await previewOf(asked, { task, definition });
    await checkMayRename(db, task, query.name);
    return await previewOf(asked, { task, definition: checkUnknownTask(renamed(definition, query.name)) });
  },
});

async function previewOf(
  { db, query }: Asked<unknown, z.output<typeof previewQuery>, unknown>,
  change: { task: Task | null; definition: TaskDefinition },
) {
  const { effectiveAt, days, count, timeZone } = query;
  const from = effectiveAt ?? (await pingDatabase(db)).now;
  return await previewTask(db, change, { from, days, count, timeZone });
}

/** Throws `egress_denied`, `secret_...` for what a save would refuse. */
async function checked(
  { db, egress }: Pick<RequestContext, 'db' | 'egress'>,
  definition: TaskDefinition,
): Promise<TaskDefinition> {
  checkEgress(definition, egress);
  await checkSecrets(db, definition);
  return definition;
}
