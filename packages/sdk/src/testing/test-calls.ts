import {
  type BatchProgress,
  type BatchRequest,
  type ChildResult,
  childRunId,
  EscapementError,
  type HandlerCall,
  type Json,
  jsonOf,
  newRunId,
  type PreviousRun,
} from '@escapement/core';

/** What a task has asked for with `ctx.fanOut`. */
export interface FannedOut extends Omit<BatchRequest, 'name'> {
  /** What tells it from the run's other batches: `'1'` for the first. */
  id: string;
  items: readonly Json[];
}

/** What came of an item. Default: it succeeded, and gave nothing back. */
export type TestChild = Partial<Pick<ChildResult, 'state' | 'reason' | 'item' | 'output'>>;

export interface TestCallsOptions {
  previous: PreviousRun | null;
  /** What comes of each item of a fan-out. */
  children?: ((item: Json, index: number) => TestChild) | undefined;
  /** What `ctx.batch(id)` gives, by the id, for a task that joins. */
  batches?: Readonly<Record<string, readonly TestChild[]>> | undefined;
  /** What `ctx.take` finds, by the name of the list. */
  lists?: Readonly<Record<string, readonly unknown[]>> | undefined;
}

interface MemoryBatch {
  id: string;
  results: ChildResult[];
}

const SAME_EACH_TIME = new Uint8Array(10);

/** What a worker would answer a task, kept in memory. */
export class TestCalls {
  readonly fannedOut: FannedOut[] = [];
  readonly #options: TestCallsOptions;
  readonly #batches = new Map<string, MemoryBatch>();
  readonly #lists = new Map<string, Json[]>();
  /** In hand: confirmed by the next take, or the success of the run. */
  readonly #taken = new Map<string, Json>();

  constructor(options: TestCallsOptions) {
    this.#options = options;
    for (const [name, items] of Object.entries(options.lists ?? {}))
      this.#lists.set(
        name,
        items.map((item) => jsonOf(item, `an item of list ${name}`) ?? null),
      );
    for (const [id, children] of Object.entries(options.batches ?? {}))
      this.#batches.set(id, { id, results: children.map((child, index) => resultOf(id, index, child)) });
  }

  /** What is left of the lists, once the run has ended. */
  lists(succeeded: boolean): Record<string, readonly Json[]> {
    const left = [...this.#lists].map(([name, items]) => {
      const inHand = this.#taken.get(name);
      return [name, succeeded || inHand === undefined ? items : [inHand, ...items]] as const;
    });
    return Object.fromEntries(left);
  }

  readonly ask = async (call: HandlerCall): Promise<unknown> => {
    switch (call.call) {
      case 'previous':
        return this.#options.previous;
      case 'batch_open':
        return { ...progressOf(this.#open(call)), state: 'filling', key: call.key ?? null };
      case 'batch_add':
        return this.#add(call.batchId, call.items);
      case 'batch_seal':
      case 'batch_progress':
        return progressOf(this.#batch(call.batchId));
      case 'batch_results':
        return { results: this.#batch(call.batchId).results.slice(call.from), over: true };
      case 'list_take':
        return this.#take(call.list);
      case 'list_add':
        this.#lists.set(call.list, [...(this.#lists.get(call.list) ?? []), ...call.items]);
        return call.items.length;
    }
  };

  #open({ call: _, name, ...request }: Extract<HandlerCall, { call: 'batch_open' }>): MemoryBatch {
    const id = newRunId(new Date(this.fannedOut.length), SAME_EACH_TIME);
    const batch = { id, results: [] };
    this.#batches.set(id, batch);
    this.fannedOut.push({ ...request, id: name, items: [] });
    return batch;
  }

  #add(batchId: string, items: readonly Json[]): null {
    const { results } = this.#batch(batchId);
    const place = [...this.#batches.keys()].indexOf(batchId) - Object.keys(this.#options.batches ?? {}).length;
    const fanned = this.fannedOut[place];
    if (fanned) this.fannedOut[place] = { ...fanned, items: [...fanned.items, ...items] };
    for (const item of items) {
      const index = results.length;
      results.push(resultOf(batchId, index, { item, ...this.#options.children?.(item, index) }));
    }
    return null;
  }

  #batch(id: string): MemoryBatch {
    const batch = this.#batches.get(id);
    if (batch) return batch;
    throw new EscapementError('unknown_batch', `there is no batch ${id}`, { fix: 'give testTask it in `batches`' });
  }

  #take(list: string): { place: number; item: Json } | null {
    const [item, ...rest] = this.#lists.get(list) ?? [];
    this.#taken.delete(list);
    if (item === undefined) return null;
    this.#lists.set(list, rest);
    this.#taken.set(list, item);
    return { place: 0, item };
  }
}

function resultOf(batchId: string, index: number, child: TestChild): ChildResult {
  const { state = 'succeeded', reason = null, item = null, output = null } = child;
  return { index, id: childRunId(batchId, index), state, reason, item, output };
}

function progressOf({ id, results }: MemoryBatch): BatchProgress {
  const count = (fits: (result: ChildResult) => boolean) => results.filter(fits).length;
  const [succeeded, skipped] = [count(({ state }) => state === 'succeeded'), count(({ state }) => state === 'skipped')];
  const total = results.length;
  return {
    id,
    state: 'done',
    total,
    made: total,
    succeeded,
    skipped,
    failed: total - succeeded - skipped,
    left: 0,
    reason: null,
  };
}
