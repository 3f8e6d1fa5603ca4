import { z } from 'zod';
import { isStorable } from './json.ts';
import { RUN_STATES } from './run-state.ts';
import { NAME } from './task-name.ts';

/** Children of a batch that are open at once, unless it says otherwise. */
export const DEFAULT_BATCH_CONCURRENCY = 100;

/** Most items of a batch. */
export const MAX_BATCH_ITEMS = 1_000_000;

/** Most runs that stand above the children of a batch, each caused by the one before: a task that fans out into itself has an end. */
export const MAX_FAN_OUT_DEPTH = 100;

/** Most items that a worker is handed at once. */
export const BATCH_PAGE_ITEMS = 100;

/** Most results that a worker hands out at once. */
export const RESULT_PAGE = 100;

/** What becomes of the children that are not made yet when one has failed. */
export const batchOnError = z.enum(['continue', 'stop']);

/** `none`: as they come. `start`: they begin in the order of the items. `series`: one after the other. */
export const batchOrder = z.enum(['none', 'start', 'series']);

export type BatchOrder = z.output<typeof batchOrder>;
export type BatchOnError = z.output<typeof batchOnError>;

/** `filling`: it takes items. `stopping`, `cancelling`: no more children are made, some are open. */
export const batchState = z.enum(['filling', 'running', 'stopping', 'cancelling', 'done', 'cancelled']);

export type BatchState = z.output<typeof batchState>;

const taskName = z.string().regex(NAME, 'the name of a task');

function storable(max: number) {
  return z.string().min(1).max(max).refine(isStorable, 'text without NUL and halves of surrogate pairs');
}

/** A batch, as a handler asks for it. */
export const batchRequest = z.strictObject({
  /** Tells the batches of a run apart. */
  name: storable(200),
  task: taskName,
  /** What must not run side by side; may hold `{{payload.field}}` of the items. Default: the task's own. */
  key: storable(512).exactOptional(),
  /** Children that are open at once. Default 100; 1 with `order: 'series'`. */
  concurrency: z.int().min(1).max(1000).exactOptional(),
  order: batchOrder.default('none'),
  onError: batchOnError.default('continue'),
  /** The task that is run when all children have ended. */
  join: taskName.exactOptional(),
});

export type BatchRequest = z.output<typeof batchRequest>;

/** How far a batch is. */
export const batchProgress = z.object({
  id: z.string(),
  state: batchState,
  total: z.int(),
  /** Children that were made. */
  made: z.int(),
  succeeded: z.int(),
  /** Those whose handler had nothing to do. */
  skipped: z.int(),
  /** Those that ended otherwise. */
  failed: z.int(),
  /** Items whose child has not ended, or was never made. */
  left: z.int(),
  /** Why it stopped, or could not be joined; null: there is nothing to say. */
  reason: z.string().nullable(),
});

export type BatchProgress = z.output<typeof batchProgress>;

/** How far a batch is, in words: `30 of 100 done, 2 failed, 68 left`. */
export function formatBatch({ total, succeeded, skipped, failed, left }: BatchProgress): string {
  const parts = [`${succeeded} of ${total} done`];
  if (skipped > 0) parts.push(`${skipped} skipped`);
  return [...parts, `${failed} failed`, `${left} left`].join(', ');
}

/** The payload of the task that joins a batch. */
export type JoinPayload = {
  batchId: string;
  total: number;
  succeeded: number;
  skipped: number;
  failed: number;
  left: number;
};

/** What came of an item. */
const childResult = z.object({
  index: z.int(),
  /** The id of its run. */
  id: z.string(),
  state: z.enum(RUN_STATES),
  /** For people; null: there is nothing to say. */
  reason: z.string().nullable(),
  item: z.json(),
  /** Null: it gave nothing back. */
  output: z.json(),
});

export type ChildResult = z.output<typeof childResult>;

/** A piece of a batch's results, in the order of its items. */
export const resultPage = z.object({
  results: z.array(childResult),
  /** No more will come. */
  over: z.boolean(),
});

export type ResultPage = z.output<typeof resultPage>;

/** The id of a child: that of its batch with its place, from 1, in the last four bytes. So they lie side by side. */
export function childRunId(batchId: string, index: number): string {
  return batchId.slice(0, 28) + (index + 1).toString(16).padStart(8, '0');
}

/** The item that a child is for, from 0. */
export function childIndexOf(runId: string): number {
  return Number.parseInt(runId.slice(28), 16) - 1;
}
