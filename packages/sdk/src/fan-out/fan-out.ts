import {
  BATCH_PAGE_ITEMS,
  type BatchOnError,
  type BatchOrder,
  callAnswers,
  EscapementError,
  type JoinPayload,
  type Json,
  jsonOf,
  MAX_BATCH_ITEMS,
  renderKey,
} from '@escapement/core';
import { checkPayload } from '../schema-check.ts';
import { type FanOutTask, nameOf, type TaskRef } from '../task-ref.ts';
import { type Ask, type Batch, batchOf } from './batch.ts';

/** Of a page of items, in UTF-16 units of JSON. */
const PAGE_CHARS = 256 * 1024;

export interface FanOutOptions {
  /** Children that are open at once. Default 100, at most 1000; 1 with `order: 'series'`. */
  concurrency?: number;
  /** What must not run side by side; may hold `{{payload.field}}` of the items. Default: the task's own key, if it says one. */
  key?: string;
  /** What becomes of the items after one has failed for good: `stop` makes no more children. Default `continue`. */
  onError?: BatchOnError;
  /**
   * `none` (default): children begin as they come. `start`: they begin in the order of the items, and run side by side.
   * `series`: one after the other, each when the one before has ended.
   */
  order?: BatchOrder;
  /** The task that is run once when all children have ended, with `{ batchId, total, succeeded, skipped, failed, left }`. */
  join?: TaskRef<JoinPayload>;
  /** Tells the batches of a run apart. Default: the how manieth call of `fanOut` it is. */
  id?: string;
}

/** Fans out for one attempt of a run. */
export class FanOuts {
  readonly #ask: Ask;
  readonly #names = new Set<string>();
  readonly #open = new Set<Promise<unknown>>();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  fanOut<Input, Output>(
    task: FanOutTask<Input, Output>,
    items: Iterable<Input> | AsyncIterable<Input>,
    options: FanOutOptions = {},
  ): Promise<Batch<Input, Output>> {
    const filled = this.#fill(task, items, options);
    this.#open.add(filled);
    // Whoever waits for it hears of its failure; `settled` tells of one that nobody waited for.
    filled.then(() => this.#open.delete(filled)).catch(() => undefined);
    return filled;
  }

  /** Resolves when all items have been recorded: a run must not succeed before. */
  async settled(): Promise<void> {
    await Promise.all(this.#open);
  }

  async #fill<Input, Output>(
    task: FanOutTask<Input, Output>,
    items: Iterable<Input> | AsyncIterable<Input>,
    { id, join, ...options }: FanOutOptions,
  ): Promise<Batch<Input, Output>> {
    const name = this.#take(id);
    const request = { ...options, name, task: nameOf(task), ...(join === undefined ? {} : { join: nameOf(join) }) };
    const opened = callAnswers.batch_open.parse(
      await this.#ask({ order: 'none', onError: 'continue', ...request, call: 'batch_open' }),
    );
    // An earlier attempt has given all the items: these are not read.
    if (opened.state === 'filling') await this.#send(opened, task, items);
    return batchOf(opened.id, this.#ask);
  }

  #take(id: string | undefined): string {
    const name = id ?? String(this.#names.size + 1);
    if (this.#names.has(name))
      throw new EscapementError('batch_twice', `this run has fanned out with the id "${name}" already`, {
        fix: 'give each call of ctx.fanOut an id of its own',
      });
    this.#names.add(name);
    return name;
  }

  async #send<Input, Output>(
    { id: batchId, key }: { id: string; key: string | null },
    task: FanOutTask<Input, Output>,
    items: Iterable<Input> | AsyncIterable<Input>,
  ): Promise<void> {
    let first = 0;
    for await (const page of pagesOf(task, items)) {
      // A field that is missing is told with its item, not when its turn has come.
      if (key !== null) for (const item of page) renderKey(key, item);
      await this.#ask({ call: 'batch_add', batchId, first, items: page });
      first += page.length;
    }
    callAnswers.batch_seal.parse(await this.#ask({ call: 'batch_seal', batchId }));
  }
}

/** The items as JSON, checked, in pages that are bounded in number and size. */
async function* pagesOf<Input, Output>(
  task: FanOutTask<Input, Output>,
  items: Iterable<Input> | AsyncIterable<Input>,
): AsyncGenerator<Json[]> {
  let page: Json[] = [];
  let chars = 0;
  let count = 0;
  for await (const item of items) {
    if (++count > MAX_BATCH_ITEMS) throw tooMany();
    if (typeof task !== 'string' && task.payload) await checkPayload(task.name, task.payload, item);
    const json = jsonOf(item, `item ${count - 1} for ${nameOf(task)}`) ?? null;
    page.push(json);
    chars += JSON.stringify(json).length;
    if (page.length < BATCH_PAGE_ITEMS && chars < PAGE_CHARS) continue;
    yield page;
    page = [];
    chars = 0;
  }
  if (page.length > 0) yield page;
}

function tooMany(): EscapementError {
  return new EscapementError('too_many_items', `a batch of more than ${MAX_BATCH_ITEMS} items`, {
    fix: 'put several things into one item, or fan out in two batches',
  });
}
