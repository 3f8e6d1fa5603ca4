import { type BatchProgress, callAnswers, type HandlerCall, type RunState } from '@escapement/core';
import type { JsonOf } from '../testing/json-of.ts';

/** What came of an item. */
export interface BatchResult<Item = unknown, Output = unknown> {
  /** Its place among the items, from 0. */
  index: number;
  item: JsonOf<Item>;
  /** The id of its run. */
  id: string;
  /** `succeeded`, or how it ended otherwise. */
  state: RunState;
  /** What the task returned; null where it did not succeed, or returned nothing. */
  output: JsonOf<Output> | null;
  /** Why it did not succeed; null: it did. */
  reason: string | null;
}

/** Many runs of a task, which one run has asked for. */
export interface Batch<Item = unknown, Output = unknown> {
  readonly id: string;
  /**
   * What came of the items, in their order: waits for the next one. While it waits, its run does not count against its
   * worker's concurrency, and need not report. Of items that were never made (`onError: 'stop'`) there is nothing.
   */
  results(): AsyncIterable<BatchResult<Item, Output>>;
  /** How far it is. */
  progress(): Promise<BatchProgress>;
}

export type Ask = (call: HandlerCall) => Promise<unknown>;

/** A batch by its id. Reads at most a page of results at once, and again only when these are used up. */
export function batchOf<Item, Output>(id: string, ask: Ask): Batch<Item, Output> {
  async function* results(): AsyncGenerator<BatchResult<Item, Output>> {
    for (let from = 0; ; ) {
      const page = callAnswers.batch_results.parse(await ask({ call: 'batch_results', batchId: id, from }));
      for (const { index, id: runId, state, reason, item, output } of page.results) {
        from = index + 1;
        yield { index, id: runId, state, reason, item: item as JsonOf<Item>, output: output as JsonOf<Output> | null };
      }
      if (page.over) return;
    }
  }
  return {
    id,
    results,
    progress: async () => callAnswers.batch_progress.parse(await ask({ call: 'batch_progress', batchId: id })),
  };
}
