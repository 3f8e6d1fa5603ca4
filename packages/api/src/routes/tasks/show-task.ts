import { DAY, EscapementError, readInstant } from '@escapement/core';
import { redactUnknownDefinition } from '@escapement/core/mask';
import { zoneOf } from '@escapement/core/schedule';
import { describeTask, requireTask } from '@escapement/operations';
import { type Database, listTaskStates, taskHistory, taskOutcomes, taskStats } from '@escapement/store';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { stats, taskDescription } from '../../schemas/task.ts';
import { at, countIn, labelIn, ms } from '../../schemas/values.ts';
import { zoneIn } from './change-of-task.ts';
import { nameOf, taskOf, taskParams, theTask } from './task-of.ts';

const about = { tag: 'tasks', params: taskParams, missing: ['unknown_task'], audit: null } as const;

/** By the name of a task. */
const of = { tag: 'tasks', method: 'GET', right: 'read', audit: null, missing: ['unknown_task'] } as const;

export const findTask = route({
  ...of,
  id: 'findTask',
  path: '/v1/task',
  summary: 'The id of the task that has a name.',
  on: ({ query: { name } }) => ({ task: name }),
  query: z.strictObject({ name: z.string().min(1).max(200) }),
  answer: z.object({ id: z.string(), name: z.string(), version: z.int() }).meta({ id: 'TaskFound' }),
  handle: async ({ db, query }) => {
    const { id, name, version } = await requireTask(db, query.name);
    return { id, name, version };
  },
});

export const getTask = route({
  ...about,
  id: 'getTask',
  method: 'GET',
  path: '/v1/tasks/:id',
  summary: 'Everything about a task.',
  description: 'The header `ETag` has its version, for `If-Match` of a change.',
  right: 'read',
  on: theTask,
  answer: taskDescription,
  handle: async (asked) => {
    const { db, deadMs, clock, header } = asked;
    const task = await taskOf(asked);
    header('etag', `"${task.version}"`);
    return await describeTask(db, task, { deadMs, now: clock.now() });
  },
});

const version = z
  .object({
    version: z.int(),
    savedAt: at,
    savedBy: z.string(),
    source: z.string(),
    note: z.string().nullable(),
    definition: z.unknown(),
    changed: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Top-level parts in which it differs from the version before; null: it is the first.' }),
  })
  .meta({ id: 'TaskVersion' });

const versions = z.object({ items: z.array(version) }).meta({ id: 'TaskVersions' });

export const listTaskVersions = route({
  ...about,
  id: 'listTaskVersions',
  method: 'GET',
  path: '/v1/tasks/:id/versions',
  summary: 'Every version of a task, the newest first, also of a deleted one.',
  right: 'read',
  on: theTask,
  answer: versions,
  handle: async (asked) => ({ items: await versionsOf(asked.db, await nameOf(asked)) }),
});

export const listVersionsByName = route({
  ...of,
  id: 'listVersionsByName',
  path: '/v1/task/versions',
  summary: 'The same by the name of the task.',
  on: ({ query: { name } }) => ({ task: name }),
  query: z.strictObject({ name: z.string().min(1).max(200) }),
  answer: versions,
  handle: async ({ db, query: { name } }) => {
    const items = await versionsOf(db, name);
    if (items.length > 0) return { items };
    throw new EscapementError('unknown_task', `there never was a task "${name}"`, {
      fix: 'see `escapement tasks list`',
    });
  },
});

async function versionsOf(db: Database, name: string) {
  const found = await taskHistory(db, name);
  return found.map(({ definition, ...entry }) => {
    const before = found.find(({ version }) => version === entry.version - 1);
    const changed = before ? changedParts(before.definition, definition) : null;
    return { ...entry, definition: redactUnknownDefinition(definition), changed };
  });
}

function changedParts(before: unknown, after: unknown): string[] {
  const [was, is] = [partsOf(before), partsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].filter((part) => was.get(part) !== is.get(part));
}

function partsOf(definition: unknown): Map<string, string> {
  return new Map(Object.entries(definition ?? {}).map(([part, value]) => [part, JSON.stringify(value)]));
}

export const diffTaskVersions = route({
  ...about,
  id: 'diffTaskVersions',
  method: 'GET',
  path: '/v1/tasks/:id/diff',
  summary: 'The parts in which two versions of a task differ.',
  query: z.strictObject({ from: z.coerce.number().int().min(1), to: z.coerce.number().int().min(1) }),
  missing: ['unknown_task', 'unknown_version'],
  right: 'read',
  on: theTask,
  answer: z
    .object({
      from: z.int(),
      to: z.int(),
      parts: z.array(z.object({ part: z.string(), from: z.unknown().optional(), to: z.unknown().optional() })),
    })
    .meta({ id: 'TaskDiff' }),
  handle: async (asked) => {
    const { from, to } = asked.query;
    const name = await nameOf(asked);
    const versions = await taskHistory(asked.db, name);
    const partsOf = (wanted: number): Map<string, unknown> => {
      const found = versions.find((each) => each.version === wanted);
      if (!found)
        throw new EscapementError('unknown_version', `task ${name} has no version ${wanted}`, {
          fix: `it has 1 to ${versions[0]?.version}`,
        });
      return new Map(Object.entries(redactUnknownDefinition(found.definition) ?? {}));
    };
    const [was, is] = [partsOf(from), partsOf(to)];
    const parts = [...new Set([...was.keys(), ...is.keys()])].sort();
    const differ = parts.filter((part) => JSON.stringify(was.get(part)) !== JSON.stringify(is.get(part)));
    return { from, to, parts: differ.map((part) => ({ part, from: was.get(part), to: is.get(part) })) };
  },
});

const sinceIn = z
  .string()
  .max(40)
  .default('7d')
  .meta({ description: 'Runs scheduled then or later: ISO 8601, or a span such as 24h.' });

export const listTaskStats = route({
  ...of,
  id: 'listTaskStats',
  path: '/v1/task/stats',
  summary: 'Runs, failures, durations and the last error of the tasks that have runs since then, by name.',
  on: ({ query: { name, label } }) =>
    name === undefined ? (label === undefined ? null : { labels: label }) : { task: name },
  query: z.strictObject({
    since: sinceIn,
    name: z.string().min(1).max(200).optional().meta({ description: 'Only of the task of this name.' }),
    label: labelIn,
  }),
  answer: z.object({ since: at, tasks: z.array(stats) }).meta({ id: 'TasksStats' }),
  handle: async ({ db, clock, query: { name, label: labels, since: text } }) => {
    const since = readInstant(text, { what: 'since', now: clock.now(), spans: 'ago', timeZone: 'UTC' });
    if (name !== undefined) await requireTask(db, name);
    return { since, tasks: await taskStats(db, { name, labels, since }) };
  },
});

export const getTaskStats = route({
  ...about,
  id: 'getTaskStats',
  method: 'GET',
  path: '/v1/tasks/:id/stats',
  summary: 'Runs, failures, durations and the last error of a task.',
  query: z.strictObject({ since: sinceIn }),
  right: 'read',
  on: theTask,
  answer: stats.extend({ since: at }).meta({ id: 'TaskStatsSince' }),
  handle: async (asked) => {
    const { db, clock, query } = asked;
    const name = await nameOf(asked);
    const since = readInstant(query.since, { what: 'since', now: clock.now(), spans: 'ago', timeZone: 'UTC' });
    const [found] = await taskStats(db, { name, since });
    const none = {
      name,
      count: 0,
      succeeded: 0,
      failed: 0,
      notRun: 0,
      open: 0,
      p50Ms: null,
      p95Ms: null,
      lastError: null,
    };
    return { ...(found ?? none), since };
  },
});

const outcome = z
  .object({
    ...{ from: at, to: at.meta({ description: 'Where the next one begins.' }) },
    ...{ succeeded: z.int(), failed: z.int(), skipped: z.int(), missed: z.int(), cancelled: z.int() },
    ...{ p50Ms: ms.nullable(), p95Ms: ms.nullable(), p99Ms: ms.nullable() },
  })
  .meta({ id: 'TaskOutcomes' });

export const listTaskOutcomes = route({
  ...about,
  id: 'listTaskOutcomes',
  method: 'GET',
  path: '/v1/tasks/:id/outcomes',
  summary: 'What became of the runs of a task by hour or day, the oldest first; without those that had none.',
  description:
    '`failed`: failed, timed out or quarantined. `cancelled`: superseded, too. Runs count where they were due.',
  query: z.strictObject({
    days: countIn(1, 366, 7).meta({ description: 'So many days back, and today.' }),
    by: z.enum(['hour', 'day']).default('day'),
    timeZone: zoneIn.meta({
      description: 'Whose days they are. Hours are those of UTC, and each belongs to the day in which it begins.',
    }),
  }),
  right: 'read',
  on: theTask,
  answer: z.object({ items: z.array(outcome) }).meta({ id: 'TaskOutcomesPage' }),
  handle: async (asked) => {
    const { days, ...by } = asked.query;
    const { id: taskId } = await taskOf(asked);
    // One that is unknown is refused with the nearest name.
    zoneOf(by.timeZone);
    const since = new Date(asked.clock.now().getTime() - days * DAY);
    return { items: await taskOutcomes(asked.db, { taskId, since, ...by }) };
  },
});

const kept = z
  .object({
    key: z.string(),
    value: z.json(),
    version: z.int(),
    shape: z.int(),
    updatedAt: at,
    updatedBy: z.string(),
  })
  .meta({ id: 'TaskKeptState' });

export const listTaskState = route({
  ...about,
  id: 'listTaskState',
  method: 'GET',
  path: '/v1/tasks/:id/state',
  summary: 'What a task keeps between its runs, by key.',
  query: z.strictObject({
    key: z.string().max(512).optional(),
    limit: z.coerce.number().int().min(1).max(10_000).default(100),
  }),
  right: 'read-payload',
  on: theTask,
  answer: z.object({ items: z.array(kept) }).meta({ id: 'TaskKeptStates' }),
  handle: async (asked) => {
    const { id } = await taskOf(asked);
    return { items: await listTaskStates(asked.db, id, asked.query) };
  },
});
