import { checkUnknownTask, EscapementError, type TaskDefinition } from '@escapement/core';
import { effectOf, permitOnTask, saveTask, type TaskEffect, taskExists } from '@escapement/operations';
import { findTask, pingDatabase, type Task } from '@escapement/store';
import { z } from 'zod';
import { ProblemError } from '../../http/problem.ts';
import { type Asked, route } from '../../http/route.ts';
import { definitionIn, saved } from '../../schemas/task.ts';
import { instantIn, reasonIn } from '../../schemas/values.ts';
import { changed, changeIn, daysIn, refuseOtherName, type TaskChange, versionOf, zoneIn } from './change-of-task.ts';
import { type AskedSave, outdatedSave, refuseOtherEffect } from './outdated-save.ts';
import { taskOf, taskParams } from './task-of.ts';
import { type Guard, guardOf, wantedVersion } from './wanted-version.ts';

/** What goes with a save. */
const saveQuery = z.strictObject({
  reason: reasonIn,
  effectiveAt: instantIn.optional().meta({
    description:
      'From when on it counts. Default: now; nothing changes retroactively. Until then it waits, in place of one that waited before; if the task has changed meanwhile, it stays as it is, and `change` of the task says so.',
  }),
  next: z
    .union([z.literal('none'), instantIn])
    .optional()
    .meta({
      description:
        '`effect.next` of the preview, or `none`. A save that would have another first fire is refused (409 `preview_outdated`).',
    }),
  basis: z.string().max(100).optional().meta({
    description:
      '`effect.basis` of the preview. A save of another schedule, or whose calendars are others by now, is refused (409 `preview_outdated`).',
  }),
  days: daysIn,
  timeZone: zoneIn,
});

type SaveQuery = z.output<typeof saveQuery>;
type Asking = Asked<unknown, SaveQuery, unknown>;

const about = { tag: 'tasks', missing: ['unknown_task'], right: 'edit', on: 'action' } as const;

const ONLY_THIS = 'Change this version only, else 412: `ETag` of the task has it.';

export const createTask = route({
  ...about,
  id: 'createTask',
  method: 'POST',
  path: '/v1/tasks',
  summary: 'Make a task.',
  audit: 'save',
  query: saveQuery.extend({
    source: z
      .enum(['api', 'cli'])
      .default('api')
      .meta({ description: 'Who manages it. `cli`: people at the command line.' }),
  }),
  body: definitionIn,
  status: 201,
  answer: saved,
  handle: async (asked) => {
    const { body, header, query } = asked;
    const definition = checkUnknownTask(body);
    const answer = await save(asked, { definition, task: null, source: query.source, guard: refuseOther });
    // One that is to be made later has no page yet.
    if (answer.id !== '') header('location', `/v1/tasks/${answer.id}`);
    return answer;
  },
});

async function refuseOther(current: Task | null): Promise<void> {
  if (current) throw taskExists(current.name);
}

export const replaceTask = route({
  ...about,
  id: 'replaceTask',
  method: 'PUT',
  path: '/v1/tasks/:id',
  summary: 'Replace the definition of a task.',
  headers: {
    'If-Match': 'The version that it replaces, as `ETag` of the task has it; `*`: any. Without it: 428.',
  },
  audit: 'save',
  params: taskParams,
  query: saveQuery,
  body: definitionIn,
  answer: saved,
  handle: async (asked) => {
    const task = await taskOf(asked);
    const version = wantedVersion(asked);
    if (version === undefined)
      throw new ProblemError({
        code: 'no_version',
        detail: 'it is not said which version is replaced',
        fix: 'send If-Match with the ETag of the task, or * for any',
      });
    const definition = checkUnknownTask(asked.body);
    return await save(asked, { definition, task, named: version, guard: guardOf(version) });
  },
});

export const patchTask = route({
  ...about,
  id: 'patchTask',
  method: 'PATCH',
  path: '/v1/tasks/:id',
  summary: 'Change parts of the definition of a task.',
  description: 'Without `If-Match`, or with `*`, what others change at the same moment stays.',
  headers: { 'If-Match': ONLY_THIS },
  audit: 'save',
  params: taskParams,
  query: saveQuery,
  body: changeIn,
  answer: saved,
  handle: async (asked) => {
    const version = wantedVersion(asked);
    return typeof version === 'number' ? await patchVersion(asked, version) : await patchLatest(asked);
  },
});

type Patching = Asked<{ id: string }, SaveQuery, TaskChange>;

/** So often others may be faster. */
const MOST_TRIES = 30;

/** Puts the change over whatever version there is, again where another one has come in between. Throws `save_races`. */
async function patchLatest(asked: Patching) {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    try {
      return await patchVersion(asked);
    } catch (error) {
      if (!(error instanceof ProblemError && error.problem.code === 'version_changed')) throw error;
    }
  }
  throw new EscapementError('save_races', 'the task kept changing while it was saved', { fix: 'try again' });
}

/** Read and changed together: what is written is a change of this very version. Default: of the one that is there. */
async function patchVersion(asked: Patching, version?: number) {
  const task = await taskOf(asked);
  const { db, by, query } = asked;
  // What is refused of a change tells what is there.
  await permitOnTask(db, by(query.reason), 'edit', { name: task.name, action: 'save' });
  const change = (before: TaskDefinition) => checkUnknownTask(changed(before, asked.body));
  const definition = change(task.definition);
  return await save(asked, { definition, change, task, named: version, guard: guardOf(version ?? task.version) });
}

export const revertTask = route({
  ...about,
  id: 'revertTask',
  method: 'POST',
  path: '/v1/tasks/:id/revert',
  summary: 'Save an older version of a task again, as its newest.',
  headers: { 'If-Match': ONLY_THIS },
  audit: 'save',
  params: taskParams,
  query: saveQuery,
  body: z.strictObject({ version: z.int().min(1) }),
  missing: ['unknown_task', 'unknown_version'],
  answer: saved,
  handle: async (asked) => {
    const task = await taskOf(asked);
    const { version } = asked.body;
    const definition = await versionOf(asked.db, task, version);
    const query = { ...asked.query, reason: asked.query.reason ?? `back to version ${version}` };
    const named = wantedVersion(asked);
    return await save({ ...asked, query }, { definition, task, named, guard: guardOf(named ?? '*') });
  },
});

interface Change extends AskedSave {
  /** Who manages a task that is new. */
  source?: string;
  guard: Guard;
}

async function save(asked: Asking, wanted: Change) {
  const { definition, task, source = 'api', named, guard } = wanted;
  const { db, by, egress, query } = asked;
  const { reason, effectiveAt } = query;
  if (task) refuseOtherName(task, definition);
  // Before it is judged: who may not edit is told nothing of other tasks.
  const from = effectiveAt ?? (await pingDatabase(db)).now;
  let effect: TaskEffect | undefined;
  const result = await saveTask(db, definition, {
    source: task?.source ?? source,
    by: by(reason),
    egress,
    edited: task !== null,
    ...(effectiveAt === undefined ? {} : { effectiveAt }),
    guard: async (current) => {
      const outdated = () => outdatedSave(db, { ...wanted, task: current }, { from, ...query });
      await guard(current, typeof named === 'number' ? outdated : undefined);
      effect = await effectOf(db, { task: current, definition }, { from, ...query });
      await refuseOtherEffect(effect, { ...query, current, outdated });
    },
  });
  if (!effect) throw new Error('each save asks its guard');
  const { id } = (await findTask(db, definition.name)) ?? { id: task?.id ?? '' };
  return {
    ...{ id, kind: result.kind, effect },
    version: 'version' in result ? result.version : null,
    effectiveAt: 'effectiveAt' in result ? result.effectiveAt : null,
  };
}
