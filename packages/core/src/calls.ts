import { z } from 'zod';
import { BATCH_PAGE_ITEMS, batchProgress, batchRequest, resultPage } from './batch.ts';
import { RUN_STATES } from './run-state.ts';
import { NAME } from './task-name.ts';

const batchId = z.uuid();

/** The name of a work-list. */
export const listName = z.string().regex(NAME, '1 to 200 letters, digits and ._:@/-');

/** Most items of a list that a worker is handed at once. */
export const LIST_PAGE_ITEMS = 100;

/**
 * What a handler may ask of its worker while it runs. A call of a run that is no longer the worker's (it was taken for
 * lost, or cancelled over its head) is refused.
 */
export const handlerCall = z.discriminatedUnion('call', [
  /** The run of the task and key before this one. */
  z.strictObject({ call: z.literal('previous') }),
  /** A batch: opened, filled with items in their order, sealed. */
  batchRequest.extend({ call: z.literal('batch_open') }),
  z.strictObject({
    call: z.literal('batch_add'),
    batchId,
    /** The index of the first of these. */
    first: z.int().min(0),
    items: z.array(z.json()).min(1).max(BATCH_PAGE_ITEMS),
  }),
  z.strictObject({ call: z.literal('batch_seal'), batchId }),
  /** What came of its items, from an index on. Waits for the first of them. */
  z.strictObject({ call: z.literal('batch_results'), batchId, from: z.int().min(0) }),
  z.strictObject({ call: z.literal('batch_progress'), batchId }),
  /** The next item of a work-list; `done`: the place of the one before, which is confirmed by it. */
  z.strictObject({ call: z.literal('list_take'), list: listName, done: z.int().min(0).nullable() }),
  /** Items for the end of a work-list; `first`: how many the attempt has added before. */
  z.strictObject({
    call: z.literal('list_add'),
    list: listName,
    first: z.int().min(0),
    items: z.array(z.json()).min(1).max(LIST_PAGE_ITEMS),
  }),
]);

export type HandlerCall = z.output<typeof handlerCall>;

/** The last run of a task and key that began before another one, and has ended. */
export const previousRun = z.object({
  id: z.string(),
  state: z.enum(RUN_STATES),
  scheduledFor: z.date(),
  startedAt: z.date(),
  finishedAt: z.date(),
  /** For people; null: there is nothing to say. */
  reason: z.string().nullable(),
  /** Null: it gave nothing back. */
  output: z.json(),
});

export type PreviousRun = z.output<typeof previousRun>;

/** What comes back of each call. */
export const callAnswers = {
  previous: previousRun.nullable(),
  /** `key`: what the keys of the children are made of; null: they share one of the batch. */
  batch_open: batchProgress.extend({ key: z.string().nullable() }),
  batch_add: z.null(),
  batch_seal: batchProgress,
  batch_results: resultPage,
  batch_progress: batchProgress,
  /** Null: there is none just now. */
  list_take: z.object({ place: z.int(), item: z.json() }).nullable(),
  /** How many were added. */
  list_add: z.int(),
};
