import {
  dropPendingChange,
  dropTaskState as dropState,
  pauseTask as pause,
  deleteTask as removeTask,
  renameTask as rename,
  resumeTask as resume,
  setTaskState as setState,
  skipOccurrences,
} from '@escapement/operations';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { at, instantIn, reasonIn } from '../../schemas/values.ts';
import { nameOf, taskParams } from './task-of.ts';
import { TRIGGERS, triggerBody, triggerNamed } from './trigger.ts';

const about = { tag: 'tasks', params: taskParams, missing: ['unknown_task'], on: 'action' } as const;
const withReason = z.strictObject({ reason: reasonIn });

export const pauseTask = route({
  ...about,
  id: 'pauseTask',
  method: 'POST',
  path: '/v1/tasks/:id/pause',
  summary: 'Skip what falls due from now on; each skipped occurrence is in the ledger.',
  right: 'pause',
  audit: 'pause',
  body: z.strictObject({
    reason: reasonIn,
    untilAt: instantIn.nullable().default(null).meta({ description: 'When it is resumed by itself; null: it is not.' }),
  }),
  answer: z.object({ untilAt: at.nullable() }).meta({ id: 'TaskPaused' }),
  handle: async (asked) => {
    const { reason, untilAt } = asked.body;
    await pause(asked.db, await nameOf(asked), untilAt, asked.by(reason));
    return { untilAt };
  },
});

export const resumeTask = route({
  ...about,
  id: 'resumeTask',
  method: 'POST',
  path: '/v1/tasks/:id/resume',
  summary: 'End the pauses of a task; what was skipped is not run later.',
  right: 'pause',
  audit: 'resume',
  body: withReason,
  answer: z.object({ endedPauses: z.int() }).meta({ id: 'TaskResumed' }),
  handle: async (asked) => ({ endedPauses: await resume(asked.db, await nameOf(asked), asked.by(asked.body.reason)) }),
});

export const skipTask = route({
  ...about,
  id: 'skipTask',
  method: 'POST',
  path: '/v1/tasks/:id/skip',
  summary: 'Skip the next occurrences of a task.',
  right: 'pause',
  audit: 'pause',
  body: z.strictObject({ reason: reasonIn, count: z.int().min(1).max(1000).default(1) }),
  answer: z.object({ skipped: z.array(at) }).meta({ id: 'TaskSkipped' }),
  handle: async (asked) => {
    const { reason, count } = asked.body;
    return { skipped: await skipOccurrences(asked.db, await nameOf(asked), count, asked.by(reason)) };
  },
});

export const triggerTask = route({
  ...about,
  ...TRIGGERS,
  id: 'triggerTask',
  path: '/v1/tasks/:id/trigger',
  summary: 'Run a task now, or at a time.',
  body: triggerBody,
  handle: async (asked) => ({ runs: await triggerNamed(asked, await nameOf(asked), asked.body) }),
});

export const renameTask = route({
  ...about,
  id: 'renameTask',
  method: 'POST',
  path: '/v1/tasks/:id/rename',
  summary: 'Give a task another name. It stays the same task, with its runs.',
  right: 'edit',
  audit: 'rename',
  body: z.strictObject({ reason: reasonIn, name: z.string().min(1).max(250) }),
  answer: z.object({ version: z.int() }).meta({ id: 'TaskRenamed' }),
  handle: async (asked) => {
    const { reason, name } = asked.body;
    const { db, by, egress } = asked;
    return { version: await rename(db, await nameOf(asked), name, { by: by(reason), egress }) };
  },
});

export const deleteTask = route({
  ...about,
  id: 'deleteTask',
  method: 'DELETE',
  path: '/v1/tasks/:id',
  summary: 'Delete a task. Its runs stay in the ledger; those that have not started never start.',
  right: 'edit',
  audit: 'delete',
  query: withReason,
  answer: z.object({ deleted: z.literal(true) }).meta({ id: 'TaskDeleted' }),
  handle: async (asked) => {
    await removeTask(asked.db, await nameOf(asked), asked.by(asked.query.reason));
    return { deleted: true as const };
  },
});

export const dropPendingTaskChange = route({
  ...about,
  id: 'dropPendingTaskChange',
  method: 'DELETE',
  path: '/v1/tasks/:id/pending-change',
  summary: 'Forget a change that was to count from a later instant on.',
  right: 'edit',
  audit: 'drop pending change',
  query: withReason,
  answer: z.object({ dropped: z.boolean() }).meta({ id: 'PendingChangeDropped' }),
  handle: async (asked) => ({
    dropped: await dropPendingChange(asked.db, await nameOf(asked), asked.by(asked.query.reason)),
  }),
});

const stateOf = {
  key: z.string().min(1).max(512).optional().meta({ description: 'Default: the key of its scheduled runs.' }),
  reason: z.string().min(1).max(1000).meta({ description: 'Why; kept in the audit.' }),
};

export const setTaskState = route({
  ...about,
  id: 'setTaskState',
  method: 'PUT',
  path: '/v1/tasks/:id/state',
  summary: 'Set by hand what a task keeps between its runs.',
  right: 'write-data',
  audit: 'state set',
  body: z.strictObject({ ...stateOf, value: z.json() }),
  answer: z.object({ key: z.string() }).meta({ id: 'TaskStateSet' }),
  handle: async (asked) => {
    const { key, reason, value } = asked.body;
    return { key: await setState(asked.db, { task: await nameOf(asked), key }, value, asked.by(reason)) };
  },
});

export const dropTaskState = route({
  ...about,
  id: 'dropTaskState',
  method: 'DELETE',
  path: '/v1/tasks/:id/state',
  summary: 'Drop what a task keeps between its runs: the next run begins without.',
  right: 'write-data',
  audit: 'state drop',
  query: z.strictObject(stateOf),
  answer: z.object({ key: z.string() }).meta({ id: 'TaskStateDropped' }),
  handle: async (asked) => {
    const { key, reason } = asked.query;
    return { key: await dropState(asked.db, { task: await nameOf(asked), key }, asked.by(reason)) };
  },
});
