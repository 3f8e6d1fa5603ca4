import { CRONTAB_USER } from '@escapement/core';
import {
  type CrontabGiven,
  exportCrontab as exportTasks,
  importCrontab as importTasks,
  previewImport,
} from '@escapement/operations';
import { z } from 'zod';
import { route } from '../http/route.ts';
import { undoneEdit } from '../schemas/task.ts';
import { at, flagIn, labelIn, reasonIn } from '../schemas/values.ts';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

const given = {
  text: z.string().meta({ description: 'The crontab.' }),
  name: z.string().min(1).max(200).meta({
    description: 'Under which its lines are found again at the next import. Its tasks have the source `crontab:NAME`.',
  }),
  system: z.boolean().default(false).meta({ description: 'It has a user column, as `/etc/crontab` has.' }),
  user: z.string().regex(CRONTAB_USER).max(256).optional().meta({
    description: "Whose crontab it is: its lines run as this user. Not with `system`. Default: the worker's.",
  }),
  shadow: z.boolean().default(false).meta({
    description:
      'cron goes on running the lines: their tasks plan and do not run, in its shadow. A later import without it leaves them there.',
  }),
  pool: z.string().min(1).max(100).optional().meta({ description: 'Of its tasks. Default: the one they have.' }),
  newPool: z.string().min(1).max(100).optional().meta({
    description: 'Of those of its tasks that are new, where `pool` is not given. Default: `default`.',
  }),
  timeZone: z.string().max(64).meta({ description: 'Of lines without `CRON_TZ` or `TZ` above them.' }),
  zoneOfMachine: z
    .boolean()
    .default(false)
    .meta({ description: '`timeZone` is that of the machine that asks, and nobody has chosen it: a note says so.' }),
};

const planIn = z.strictObject(given);

const line = z
  .object({
    line: z.int(),
    text: z.string().meta({ description: 'Secrets in it are `***`.' }),
    action: z.enum(['create', 'update', 'unchanged', 'duplicate', 'refused', 'created', 'updated', 'left']).meta({
      description:
        '`left`: it was not chosen. `duplicate`: a task of another source does the same at the same times. `refused`: the first note says why.',
    }),
    task: z.string().nullable(),
    schedule: z.string().nullable(),
    meaning: z.string().nullable().meta({ description: 'When it runs, in words.' }),
    timeZone: z.string().nullable(),
    nextRun: at.nullable(),
    notes: z.array(z.string()),
    undoes: z.array(undoneEdit).meta({ description: 'What people have edited of its task, and the line takes back.' }),
  })
  .meta({ id: 'CrontabLine' });

const report = z
  .object({
    source: z.string(),
    written: z.boolean(),
    compared: z.boolean(),
    counts: z.object({
      create: z.int(),
      update: z.int(),
      unchanged: z.int(),
      duplicate: z.int(),
      left: z.int().meta({ description: 'Lines that would have been written, and were not chosen.' }),
      refused: z.int(),
      failed: z.int().meta({ description: 'Of the refused: their tasks could not be saved.' }),
      removed: z.int().meta({ description: 'Tasks whose line is gone.' }),
      mailed: z.int().meta({ description: 'Lines with an address in MAILTO.' }),
      silent: z.int().meta({ description: 'Lines without MAILTO.' }),
    }),
    lines: z.array(line),
    removed: z.array(z.object({ task: z.string(), schedule: z.string(), command: z.string(), deleted: z.boolean() })),
    notes: z.array(z.string()).meta({ description: 'What is to be known of the whole file.' }),
  })
  .meta({ id: 'CrontabReport' });

const about = { tag: 'crontab', method: 'POST', maxBodyBytes: MAX_BODY_BYTES, answer: report } as const;

export const previewCrontab = route({
  ...about,
  id: 'previewCrontab',
  path: '/v1/import/crontab/plan',
  summary: 'What a crontab would become, line by line, compared with the tasks that are there. Nothing is written.',
  right: 'read',
  on: () => null,
  audit: null,
  body: planIn,
  handle: async ({ db, clock, body }) => await previewImport(db, givenOf(body), clock.now()),
});

export const importCrontab = route({
  ...about,
  id: 'importCrontab',
  path: '/v1/import/crontab',
  summary: 'Make and update the tasks of a crontab. It may be repeated at any time.',
  description:
    'All rights are asked for before anything is written. Then each task is saved by itself; a line whose task is refused is told of, and stops nothing.',
  right: 'edit',
  on: 'action',
  audit: 'save',
  body: planIn.extend({
    lines: z.array(z.int().min(1)).max(100_000).optional().meta({
      description: 'Write these lines only, by their numbers. Default: all.',
    }),
    prune: z.boolean().default(false).meta({ description: 'Delete tasks of this source whose line is gone.' }),
    reason: reasonIn,
  }),
  handle: async ({ db, by, clock, body: { prune, lines, reason, ...body } }) =>
    await importTasks(db, { ...givenOf(body), prune, lines }, { by: by(reason), now: clock.now() }),
});

function givenOf({ zoneOfMachine, ...body }: z.output<typeof planIn>): CrontabGiven {
  return { ...body, timeZoneFrom: zoneOfMachine ? 'system' : '--tz' };
}

export const exportCrontab = route({
  id: 'exportCrontab',
  method: 'GET',
  path: '/v1/export/crontab',
  tag: 'crontab',
  summary: 'Tasks as a crontab, with all that stands in their commands.',
  right: 'read-payload',
  on: ({ query: { label } }) => (label === undefined ? null : { labels: label }),
  audit: null,
  query: z.strictObject({
    source: z.string().max(250).optional(),
    label: labelIn,
    system: flagIn.meta({ description: 'With a user column.' }),
    user: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'For the user column, where a task names none. Default: such tasks are left out.' }),
  }),
  answer: z
    .object({
      text: z.string(),
      left: z
        .array(z.object({ name: z.string(), reason: z.string() }))
        .meta({ description: 'Tasks that cron cannot express, and why.' }),
    })
    .meta({ id: 'CrontabExport' }),
  handle: async ({ db, clock, query: { label, ...query } }) =>
    await exportTasks(db, { ...query, labels: label }, clock),
});
