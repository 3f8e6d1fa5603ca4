import { EscapementError, type TaskDefinition } from '@escapement/core';
import {
  checkEgress,
  checkSecrets,
  checkUnknownTask,
  effectOf,
  previewTask,
  renamed,
  saveTask,
  type TaskEffect,
  taskExists,
} from '@escapement/operations';
import { type Database, findTask, pingDatabase, type Task, taskHistory } from '@escapement/store';
import { z } from 'zod';
import { ProblemError } from '../../http/problem.ts';
import { type Asked, route } from '../../http/route.ts';
import { definitionIn, preview, saved } from '../../schemas/task.ts';
import { instantIn, reasonIn } from '../../schemas/values.ts';
import { mergePatch } from './merge-patch.ts';
import { taskOf, taskParams, theTask } from './task-of.ts';
import { guardOf, wantedVersion } from './wanted-version.ts';

const DAYS = 7;
const FIRES = 10;

/** What goes with a save. */
const saveQuery = z.strictObject({
  reason: reasonIn,
  effectiveAt: instantIn
    .optional()
    .meta({ description: 'From when on it counts. Default: now; nothing changes retroactively.' }),
  next: z
    .union([z.literal('none'), instantIn])
    .optional()
    .meta({
      description:
        '`effect.next` of the preview, or `none`. A save that would have another first fire is refused (409 `preview_outdated`).',
    }),
});

type SaveQuery = z.output<typeof saveQuery>;
type Asking = Asked<unknown, SaveQuery, unknown>;

const previewQuery = z.strictObject({
  effectiveAt: instantIn.optional().meta({ description: 'From when on it would count. Default: now.' }),
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(366)
    .default(DAYS)
    .meta({ description: 'Fires of so many days are compared.' }),
  count: z.coerce.number().int().min(1).max(100).default(FIRES).meta({ description: 'So many next fires are told.' }),
  timeZone: z
    .string()
    .max(64)
    .default('UTC')
    .meta({ description: 'Of the days in which fires move, where the schedule has none.' }),
});

const about = { tag: 'tasks', missing: ['unknown_task'], right: 'edit', on: 'act' } as const;

/** A part of a definition, put over what is there. */
const patchIn = z.record(z.string(), z.unknown()).meta({
  description:
    'A JSON merge patch (RFC 7396) of the definition: what is null is taken out. A schedule of another `kind`, or a handler of another `type`, replaces what is there.',
});

export const createTask = route({
  ...about,
  id: 'createTask',
  method: 'POST',
  path: '/v1/tasks',
  summary: 'Make a task.',
  audit: 'save',
  query: saveQuery,
  body: definitionIn,
  status: 201,
  answer: saved,
  handle: async (asked) => {
    const { body, header } = asked;
    const answer = await save(asked, { definition: checkUnknownTask(body), task: null, guard: refuseOther });
    header('location', `/v1/tasks/${answer.id}`);
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
  description:
    'The header `If-Match` names the version that it replaces, as `ETag` of the task has it. Without it: 428.',
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
        status: 428,
        code: 'no_version',
        detail: 'it is not said which version is replaced',
        fix: 'send If-Match with the ETag of the task, or * for any',
      });
    return await save(asked, { definition: checkUnknownTask(asked.body), task, guard: guardOf(version) });
  },
});

export const patchTask = route({
  ...about,
  id: 'patchTask',
  method: 'PATCH',
  path: '/v1/tasks/:id',
  summary: 'Change parts of the definition of a task.',
  description:
    'With the header `If-Match` only that version is changed (412). Without it, or with `*`, what others change at the same moment stays.',
  audit: 'save',
  params: taskParams,
  query: saveQuery,
  body: patchIn,
  answer: saved,
  handle: async (asked) => {
    const version = wantedVersion(asked);
    return typeof version === 'number' ? await patchVersion(asked, version) : await patchLatest(asked);
  },
});

type Patching = Asked<{ id: string }, SaveQuery, z.output<typeof patchIn>>;

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
  const definition = checkUnknownTask(mergePatch(task.definition, asked.body));
  return await save(asked, { definition, task, guard: guardOf(version ?? task.version) });
}

export const revertTask = route({
  ...about,
  id: 'revertTask',
  method: 'POST',
  path: '/v1/tasks/:id/revert',
  summary: 'Save an older version of a task again, as its newest.',
  audit: 'save',
  params: taskParams,
  query: saveQuery,
  body: z.strictObject({ version: z.int().min(1) }),
  missing: ['unknown_task', 'unknown_version'],
  answer: saved,
  handle: async (asked) => {
    const task = await taskOf(asked);
    const { version } = asked.body;
    const wanted = (await taskHistory(asked.db, task.name)).find((each) => each.version === version);
    if (!wanted)
      throw new EscapementError('unknown_version', `task ${task.name} has no version ${version}`, {
        fix: `it has 1 to ${task.version}`,
      });
    const definition = renamed(checkUnknownTask(wanted.definition), task.name);
    const query = { ...asked.query, reason: asked.query.reason ?? `back to version ${version}` };
    return await save({ ...asked, query }, { definition, task, guard: guardOf(wantedVersion(asked) ?? '*') });
  },
});

export const previewNewTask = route({
  ...about,
  id: 'previewNewTask',
  method: 'POST',
  path: '/v1/preview',
  summary: 'What a definition would do, and change about the task of its name. Nothing is written.',
  audit: null,
  on: ({ body }) => ({ task: body.name }),
  query: previewQuery,
  body: definitionIn,
  answer: preview,
  handle: async (asked) => {
    const definition = await checked(asked, checkUnknownTask(asked.body));
    return await previewOf(asked, { task: await findTask(asked.db, definition.name), definition });
  },
});

export const previewTaskChange = route({
  ...about,
  id: 'previewTaskChange',
  method: 'POST',
  path: '/v1/tasks/:id/preview',
  summary: 'What a change of a task would change. Nothing is written.',
  audit: null,
  on: theTask,
  params: taskParams,
  query: previewQuery,
  body: patchIn,
  answer: preview,
  handle: async (asked) => {
    const task = await taskOf(asked);
    const definition = await checked(asked, checkUnknownTask(mergePatch(task.definition, asked.body)));
    return await previewOf(asked, { task, definition });
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
  { db, egress }: Pick<Asking, 'db' | 'egress'>,
  definition: TaskDefinition,
): Promise<TaskDefinition> {
  checkEgress(definition, egress);
  await checkSecrets(db, definition);
  return definition;
}

interface Change {
  definition: TaskDefinition;
  task: Task | null;
  guard: (current: Task | null) => Promise<void>;
}

async function save(asked: Asking, { definition, task, guard }: Change) {
  const { db, by, egress, query } = asked;
  const { reason, effectiveAt } = query;
  if (task && definition.name !== task.name)
    throw new EscapementError('bad_task', `the name of ${task.name} cannot be changed like this`, {
      fix: `POST /v1/tasks/${task.id}/rename`,
    });
  // Before it is judged: who may not edit is told nothing of other tasks.
  const from = effectiveAt ?? (await pingDatabase(db)).now;
  let effect: TaskEffect | undefined;
  const result = await saveTask(db, definition, {
    source: task?.source ?? 'api',
    by: by(reason),
    egress,
    edited: task !== null,
    ...(effectiveAt === undefined ? {} : { effectiveAt }),
    guard: async (current) => {
      await guard(current);
      effect = await effectFrom(db, { task: current, definition }, { from, next: query.next });
    },
  });
  // What is kept for later has no guard yet: it is judged as it is now.
  effect ??= await effectFrom(db, { task, definition }, { from, next: undefined });
  const { id } = (await findTask(db, definition.name)) ?? { id: task?.id ?? '' };
  return {
    ...{ id, kind: result.kind, effect },
    version: 'version' in result ? result.version : null,
    effectiveAt: 'effectiveAt' in result ? result.effectiveAt : null,
  };
}

/** Throws `preview_outdated` where the first fire is another one than was previewed. */
async function effectFrom(
  db: Database,
  change: { task: Task | null; definition: TaskDefinition },
  { from, next }: { from: Date; next: Date | 'none' | undefined },
): Promise<TaskEffect> {
  const effect = await effectOf(db, change, { from, days: DAYS, timeZone: 'UTC' });
  if (next === undefined || (next === 'none' ? null : next)?.getTime() === effect.next?.getTime()) return effect;
  const is = effect.next?.toISOString() ?? 'none';
  throw new ProblemError({
    status: 409,
    code: 'preview_outdated',
    detail: `the first fire would be ${is}, not ${next === 'none' ? next : next.toISOString()} as in the preview`,
    fix: 'preview it again',
    ...(change.task ? { current: { version: change.task.version } } : {}),
  });
}
