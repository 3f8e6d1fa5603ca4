import { REPROCESS } from '@escapement/core';
import {
  labelsSeen,
  previewBackfill as preview,
  resumeBackfill as resume,
  startBackfill as start,
  stopBackfill as stop,
} from '@escapement/operations';
import { type Database, listBackfills as list, pingDatabase } from '@escapement/store';
import { z } from 'zod';
import { route } from '../../http/route.ts';
import { backfill } from '../../schemas/fleet.ts';
import { at, countIn, instantIn, reasonIn } from '../../schemas/values.ts';

const asked = {
  task: z.string().min(1).max(250).meta({ description: 'The name of a task.' }),
  fromAt: instantIn,
  toAt: instantIn.optional().meta({ description: 'Included; at most now. Default: now.' }),
  reprocess: z
    .enum(REPROCESS)
    .default('none')
    .meta({ description: 'Which occurrences that ran already are run again.' }),
  concurrency: z.int().min(1).max(1000).default(1).meta({ description: 'Runs of it that are open at once.' }),
  reverse: z.boolean().default(false).meta({ description: 'The newest occurrence first.' }),
};

export const listBackfills = route({
  id: 'listBackfills',
  method: 'GET',
  path: '/v1/backfills',
  tag: 'backfills',
  summary: 'Backfills and their progress, the latest first; those of tasks that whoever asks may see.',
  right: 'read',
  on: () => 'some',
  audit: null,
  // `progress` counts runs.
  withoutPayloads: true,
  query: z.strictObject({ limit: countIn(1, 1000, 50) }),
  answer: z.object({ items: z.array(backfill) }).meta({ id: 'Backfills' }),
  handle: async ({ db, by, query }) => ({ items: await list(db, { ...query, labels: labelsSeen(db, by()) }) }),
});

export const previewBackfill = route({
  id: 'previewBackfill',
  method: 'POST',
  path: '/v1/backfills/preview',
  tag: 'backfills',
  summary: 'What a backfill would run. Nothing is done.',
  right: 'read',
  on: ({ body }) => ({ task: body.task }),
  audit: null,
  body: z.strictObject(asked),
  answer: z
    .object({
      run: z.int().meta({ description: 'Occurrences in no row.' }),
      rerun: z.int(),
      keep: z.int().meta({ description: 'Occurrences left as they are.' }),
      first: z.array(at),
    })
    .meta({ id: 'BackfillPreview' }),
  handle: async ({ db, by, body }) => await preview(db, { ...body, toAt: await endOf(db, body), by: by() }),
});

export const startBackfill = route({
  id: 'startBackfill',
  method: 'POST',
  path: '/v1/backfills',
  tag: 'backfills',
  summary: 'Run the occurrences of a task in a time that has passed.',
  right: 'trigger',
  on: 'action',
  audit: 'start',
  body: z.strictObject({ ...asked, reason: reasonIn }),
  status: 201,
  answer: z.object({ id: z.string() }).meta({ id: 'BackfillStarted' }),
  handle: async ({ db, by, body: { reason, ...range } }) => ({
    id: await start(db, { ...range, toAt: await endOf(db, range), by: by(reason) }),
  }),
});

/** Now, where nothing is said: by the clock of Postgres, which judges it. */
async function endOf(db: Database, { toAt }: { toAt?: Date | undefined }): Promise<Date> {
  return toAt ?? (await pingDatabase(db)).now;
}

const ofBackfill = {
  tag: 'backfills',
  params: z.object({ id: z.string().min(1).max(40).meta({ description: 'The id of a backfill, or its beginning.' }) }),
  missing: ['unknown_backfill'],
  on: 'action',
  body: z.strictObject({ reason: reasonIn }),
} as const;

export const stopBackfill = route({
  ...ofBackfill,
  id: 'stopBackfill',
  method: 'POST',
  path: '/v1/backfills/:id/stop',
  summary: 'Make no more runs, and cancel those that have not started.',
  right: 'cancel',
  audit: 'stop',
  answer: z.object({ id: z.string(), taskName: z.string(), cancelled: z.int() }).meta({ id: 'BackfillStopped' }),
  handle: async ({ db, by, params, body }) => {
    const { backfill, cancelled } = await stop(db, params.id, by(body.reason));
    return { id: backfill.id, taskName: backfill.taskName, cancelled };
  },
});

export const resumeBackfill = route({
  ...ofBackfill,
  id: 'resumeBackfill',
  method: 'POST',
  path: '/v1/backfills/:id/resume',
  summary: 'Go on with a backfill that was stopped.',
  right: 'trigger',
  audit: 'resume',
  answer: z.object({ id: z.string(), taskName: z.string() }).meta({ id: 'BackfillResumed' }),
  handle: async ({ db, by, params, body }) => {
    const { id, taskName } = await resume(db, params.id, by(body.reason));
    return { id, taskName };
  },
});
