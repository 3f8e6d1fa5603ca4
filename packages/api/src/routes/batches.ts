import { batchOnError, batchOrder, batchState, EscapementError, RUN_STATES } from '@escapement/core';
import { labelsSeen, wholeRunId } from '@escapement/operations';
import { type BatchDescription, batchChildren, type Database, listBatches as list, readBatch } from '@escapement/store';
import { z } from 'zod';
import { cursorOf, placeOf } from '../http/cursor.ts';
import { route } from '../http/route.ts';
import { batch, runState } from '../schemas/run.ts';
import { afterIn, at, countIn, labelIn, pageOf } from '../schemas/values.ts';

/** Children that a page looks through for those of some states. */
const LOOKED_THROUGH = 10_000;

const about = { tag: 'batches', right: 'read', audit: null } as const;

function statesIn<State extends string>(states: readonly State[]) {
  return z
    .string()
    .max(500)
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(states as [State, ...State[]])))
    .optional()
    .meta({ description: `Only those in these states, with commas between: ${states.join(', ')}.` });
}

export const listBatches = route({
  ...about,
  id: 'listBatches',
  method: 'GET',
  path: '/v1/batches',
  summary: 'Batches, which a run has fanned out: how many of their items are done. The latest first.',
  on: () => 'some' as const,
  query: z.strictObject({
    task: z
      .string()
      .min(1)
      .max(250)
      .optional()
      .meta({ description: 'Only those whose children are runs of this task.' }),
    label: labelIn,
    run: z.string().min(1).max(40).optional().meta({ description: 'Only those that this run has asked for.' }),
    state: statesIn(batchState.options),
    after: afterIn,
    limit: countIn(1, 500, 50),
  }),
  missing: ['unknown_run'],
  answer: pageOf(batch).meta({ id: 'BatchPage' }),
  handle: async ({ db, by, query: { task, label, run, state, after, limit } }) => {
    const items = await list(db, {
      ...{ taskName: task, states: state, limit: limit + 1 },
      labels: labelsSeen(db, by(), label),
      runId: run === undefined ? undefined : await wholeRunId(db, run),
      before: after === undefined ? undefined : placeOf(z.object({ before: z.uuid() }), after).before,
    });
    const last = items.length > limit ? items[limit - 1] : undefined;
    return { items: items.slice(0, limit), next: last ? cursorOf({ before: last.id }) : null };
  },
});

const ofBatch = {
  ...about,
  params: z.object({ id: z.uuid().meta({ description: 'The id of a batch.' }) }),
  missing: ['unknown_batch'],
  /** The task whose runs its children are. */
  on: async ({ db, params: { id } }: OfBatch): Promise<{ task: string }> => ({
    task: (await requireBatch(db, id)).taskName,
  }),
};

interface OfBatch {
  db: Database;
  params: { id: string };
}

async function requireBatch(db: Database, id: string): Promise<BatchDescription> {
  const found = await readBatch(db, id);
  if (found) return found;
  throw new EscapementError('unknown_batch', `there is no batch ${id}`, {
    fix: 'GET /v1/batches lists them; a batch is deleted with the run that asked for it',
  });
}

export const getBatch = route({
  ...ofBatch,
  id: 'getBatch',
  method: 'GET',
  path: '/v1/batches/:id',
  summary: 'How far a batch is, and how it was asked for.',
  answer: batch
    .extend({
      key: z.string().nullable().meta({ description: 'A template over the item; null: the children share a key.' }),
      concurrency: z.int().meta({ description: 'Children that are open at once.' }),
      order: batchOrder,
      onError: batchOnError,
      cancelledBy: z.string().nullable(),
      endedAt: at.nullable(),
    })
    .meta({ id: 'BatchDescription' }),
  handle: async ({ db, params }) => await requireBatch(db, params.id),
});

const child = z.object({
  index: z.int().meta({ description: 'The item, from 0.' }),
  id: z.string().meta({ description: 'The run that was made for it.' }),
  state: runState,
  reason: z.string().nullable(),
  payload: z.json().nullable().optional().meta({ description: 'The item.' }),
  output: z.json().nullable().optional(),
  startedAt: at.nullable(),
  finishedAt: at.nullable(),
});

export const listBatchChildren = route({
  ...ofBatch,
  id: 'listBatchChildren',
  method: 'GET',
  path: '/v1/batches/:id/children',
  summary: 'The runs of a batch and what came of them, in the order of its items.',
  description: `Items whose run is not made yet are not among them. Of some states, a page looks through ${LOOKED_THROUGH} items at most: it may have fewer than asked for, or none, and \`next\` goes on.`,
  query: z.strictObject({ state: statesIn(RUN_STATES), after: afterIn, limit: countIn(1, 1000, 50) }),
  answer: pageOf(child).meta({ id: 'BatchChildren' }),
  handle: async ({ db, params, query: { state: states, after, limit } }) => {
    const found = await requireBatch(db, params.id);
    const from = after === undefined ? 0 : placeOf(z.object({ from: z.int().min(0).max(found.total) }), after).from;
    const to = Math.min(found.made, from + (states ? LOOKED_THROUGH : limit));
    const items = await batchChildren(db, found, { from, to, states, limit });
    const last = items.length === limit ? items.at(-1) : undefined;
    const goesOnAt = last ? last.index + 1 : to;
    return { items, next: goesOnAt < found.made ? cursorOf({ from: goesOnAt }) : null };
  },
});
