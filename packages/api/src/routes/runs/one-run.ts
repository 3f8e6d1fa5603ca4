import { RESOLUTIONS } from '@escapement/core';
import {
  asSeenBy,
  cancelRun as cancel,
  describeRun,
  labelsSeen,
  lastRun,
  requireRun,
  rerunRun as rerun,
  resolveRun as resolve,
  unknownRun,
} from '@escapement/operations';
import { readLogs, readRunTree } from '@escapement/store';
import { z } from 'zod';
import { route, textRoute } from '../../http/route.ts';
import { run, runDescription, runState, runTree } from '../../schemas/run.ts';
import { countIn, flagIn, reasonIn } from '../../schemas/values.ts';
import { followLog, logOf } from './log-of.ts';
import { countedReader, requireRoomForReader } from './log-readers.ts';
import { aboutRun, pause, theRun } from './run-of.ts';

export const getRun = route({
  ...aboutRun,
  id: 'getRun',
  method: 'GET',
  path: '/v1/runs/:id',
  summary: 'Everything about a run: why it exists, its attempts, what follows it, what people did to it.',
  right: 'read',
  on: theRun,
  audit: null,
  answer: runDescription,
  handle: async ({ db, by, params, deadMs, traceUrl }) =>
    await describeRun(db, by(), await requireRun(db, params.id), { deadMs, traceUrl }),
});

export const getLastRun = route({
  id: 'getLastRun',
  tag: 'runs',
  method: 'GET',
  path: '/v1/run/last',
  summary:
    'Of the runs that have begun, the one that was scheduled last: of a task, or of all that whoever asks may see.',
  right: 'read',
  on: ({ query: { task } }) => (task === undefined ? 'some' : { task }),
  audit: null,
  missing: ['unknown_task', 'no_run_begun'],
  query: z.strictObject({ task: z.string().min(1).max(200).optional().meta({ description: 'Its name.' }) }),
  answer: run,
  handle: async ({ db, by, query: { task } }) =>
    await lastRun(db, task === undefined ? { labels: labelsSeen(db, by()) } : { taskName: task }),
});

export const getRunTree = route({
  ...aboutRun,
  id: 'getRunTree',
  method: 'GET',
  path: '/v1/runs/:id/tree',
  summary: 'All runs that go back to the same first cause as a run.',
  right: 'read',
  on: theRun,
  audit: null,
  answer: runTree,
  handle: async ({ db, by, params }) => {
    const { id } = await requireRun(db, params.id);
    const tree = await readRunTree(db, id);
    if (!tree) throw unknownRun(id);
    return { ...tree, runs: await asSeenBy(db, by(), tree.runs) };
  },
});

export const getRunLog = textRoute({
  ...aboutRun,
  id: 'getRunLog',
  method: 'GET',
  path: '/v1/runs/:id/log',
  summary: 'What a run has written.',
  query: z.strictObject({
    attempt: z.coerce.number().int().min(1).optional().meta({ description: 'Only of this attempt. Default: of all.' }),
    tail: z.coerce
      .number()
      .int()
      .min(0)
      .max(1_000_000)
      .optional()
      .meta({ description: 'Only the last so many characters. Default: all.' }),
    follow: flagIn.meta({ description: 'Go on until the run has ended.' }),
    download: flagIn.meta({ description: 'A browser saves it as a file, and does not show it.' }),
  }),
  right: 'read-payload',
  on: theRun,
  audit: null,
  answer: 'text/plain; charset=utf-8',
  handle: async ({ db, params, query, header, signal, renew, clock }) => {
    if (query.follow) requireRoomForReader();
    const { id } = await requireRun(db, params.id);
    header('content-disposition', `${query.download ? 'attachment' : 'inline'}; filename="run-${id}.log"`);
    const watching = { signal, renew, clock, pause: () => pause(signal) };
    const text = query.follow ? countedReader(followLog(db, id, query, watching)) : logOf(db, id, query);
    return { contentType: 'text/plain; charset=utf-8', text };
  },
});

export const listLogChunks = route({
  ...aboutRun,
  id: 'listLogChunks',
  method: 'GET',
  path: '/v1/runs/:id/log/chunks',
  summary: 'What a run has written, in the pieces in which it came, with their attempts.',
  query: z.strictObject({
    attempt: z.coerce.number().int().min(0).default(0).meta({ description: 'Of the last piece that is known.' }),
    seq: z.coerce.number().int().min(0).default(0).meta({ description: 'Of the same piece: those behind it.' }),
    limit: countIn(1, 100, 100),
  }),
  right: 'read-payload',
  on: theRun,
  audit: null,
  answer: z
    .object({ items: z.array(z.object({ attempt: z.int(), seq: z.int(), text: z.string() })) })
    .meta({ id: 'LogChunks' }),
  handle: async ({ db, params, query: { attempt, seq, limit } }) => {
    const { id } = await requireRun(db, params.id);
    const chunks = await readLogs(db, id, { after: { attempt, seq }, limit });
    return { items: chunks.map((chunk) => ({ attempt: chunk.attempt, seq: chunk.seq, text: chunk.text })) };
  },
});

const reasoned = z.strictObject({ reason: reasonIn });

export const cancelRun = route({
  ...aboutRun,
  id: 'cancelRun',
  method: 'POST',
  path: '/v1/runs/:id/cancel',
  summary: 'End a run, and the runs that it has fanned out.',
  right: 'cancel',
  on: 'action',
  audit: 'cancel',
  body: reasoned,
  answer: z
    .object({
      id: z.string(),
      task: z.string(),
      state: runState.meta({ description: 'Before.' }),
      kind: z.enum(['cancelled', 'requested', 'batches_cancelled']).meta({
        description:
          '`requested`: a worker runs it and will stop it. `batches_cancelled`: it had ended, but not its fan-outs.',
      }),
      batches: z.array(z.string()).optional().meta({ description: 'With `batches_cancelled`: of which fan-outs.' }),
    })
    .meta({ id: 'RunCancelled' }),
  handle: async ({ db, by, params, body }) => {
    const { run: of, ...cancelled } = await cancel(db, params.id, by(body.reason));
    return { id: of.id, task: of.taskName, state: of.state, ...cancelled };
  },
});

export const rerunRun = route({
  ...aboutRun,
  id: 'rerunRun',
  method: 'POST',
  path: '/v1/runs/:id/rerun',
  summary: 'Run a run that has ended once more, for the same occurrence and with the same payload.',
  right: 'rerun',
  on: 'action',
  audit: 'rerun',
  body: z.strictObject({
    reason: reasonIn,
    sameVersion: z.boolean().default(false).meta({ description: 'With the definition that it had.' }),
  }),
  status: 201,
  answer: z.object({ id: z.string(), task: z.string(), rerunOf: z.string() }).meta({ id: 'RunRerun' }),
  handle: async ({ db, by, params, body: { reason, sameVersion } }) => {
    const { run: of, rerunId } = await rerun(db, params.id, by(reason), { sameVersion });
    return { id: rerunId, task: of.taskName, rerunOf: of.id };
  },
});

export const resolveRun = route({
  ...aboutRun,
  id: 'resolveRun',
  method: 'POST',
  path: '/v1/runs/:id/resolve',
  summary: 'Say what became of a run that is unknown.',
  right: 'rerun',
  on: 'action',
  audit: 'resolve',
  body: z.strictObject({
    as: z.enum(RESOLUTIONS),
    reason: z.string().min(1).max(1000).meta({ description: 'How one knows.' }),
  }),
  answer: z.object({ id: z.string(), task: z.string(), rerunId: z.string().nullable() }).meta({ id: 'RunResolved' }),
  handle: async ({ db, by, params, body: { as, reason } }) => {
    const { run: of, rerunId } = await resolve(db, params.id, as, by(reason));
    return { id: of.id, task: of.taskName, rerunId };
  },
});
