import {
  BATCH_PAGE_ITEMS,
  type BatchRequest,
  type ChildResult,
  callAnswers,
  type HandlerContext,
  type HandlerOutcome,
  type Json,
  type RunEffects,
} from '@escapement/core';
import { triggerTask } from '@escapement/operations';
import { createBatchKeeper } from '@escapement/scheduler';
import { type BatchView, batchesOfRun } from '@escapement/store';
import { by } from '@escapement/testkit';
import { testFleet } from '@escapement/testkit/fleet';

type Run = (context: HandlerContext) => Promise<Json | undefined> | Json | undefined;

/** A fleet whose tasks are functions of their context, by name. */
export async function batchFleet() {
  const fleet = await testFleet();
  const runs = new Map<string, Run>();
  /** What runs of a task leave behind, by its name. */
  const effects = new Map<string, RunEffects>();
  const enqueue = async (children: Parameters<typeof fleet.dispatcher.enqueue>[0]) =>
    void (await fleet.dispatcher.enqueue(children));
  const keeper = createBatchKeeper({ db: fleet.as.scheduler, enqueue, onError: () => undefined });

  async function handler(context: HandlerContext): Promise<HandlerOutcome> {
    const output = await runs.get(context.run.taskName)?.(context);
    const left = effects.get(context.run.taskName);
    return { status: 'succeeded', ...(output === undefined ? {} : { output }), ...(left ? { effects: left } : {}) };
  }

  async function trigger(name: string): Promise<string> {
    const id = await triggerTask(fleet.db, name, { by: by('test') });
    await fleet.dispatcher.runOnce();
    return id;
  }

  return {
    ...fleet,
    keeper,
    effects,
    trigger,
    async define(options: Parameters<typeof fleet.save>[0], run: Run = () => undefined): Promise<void> {
      runs.set(options.name, run);
      await fleet.save(options);
    },
    startWorker: (id?: string, concurrency?: number) => fleet.startWorker(handler, id, concurrency),
    /** Passes of dispatcher and keeper until something has come true. */
    async dispatchUntil(done: Promise<unknown>): Promise<void> {
      let over = false;
      void done.then(() => {
        over = true;
      });
      while (!over) {
        await fleet.dispatcher.runOnce();
        await keeper.runOnce();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    /** Runs a task and resolves with the id of that very run when it has ended. */
    async runToEnd(name: string): Promise<string> {
      const early = new Set<string>();
      let id: string | undefined;
      const ended = fleet.event('run_finished', ({ run, state }) => {
        if (state !== 'retrying') early.add(run);
        return state !== 'retrying' && run === id;
      });
      id = await trigger(name);
      if (!early.has(id)) await ended;
      return id;
    },
    /** Resolves when a run of the task has ended. */
    ended: (name: string) => fleet.event('run_finished', ({ task, state }) => task === name && state !== 'retrying'),
    async batchOf(runId: string): Promise<BatchView> {
      const [batch] = await batchesOfRun(fleet.db, runId);
      if (!batch) throw new Error(`run ${runId} has no batch`);
      return batch;
    },
    /** What the ledger has of children, in the order of the items. */
    async children(batchId: string) {
      const { rows } = await fleet.db.pool.query<{
        id: string;
        state: string;
        reason: string | null;
        started_at: Date;
      }>('SELECT id, state, reason, started_at FROM run WHERE batch_id = $1 ORDER BY id', [batchId]);
      return rows;
    },
  };
}

/** What `ctx.fanOut` of the SDK does. */
export async function fanOut(
  { ask }: HandlerContext,
  request: Pick<BatchRequest, 'task'> & Partial<BatchRequest>,
  items: readonly Json[],
): Promise<string> {
  const { id, state } = callAnswers.batch_open.parse(
    await ask({ call: 'batch_open', name: '1', order: 'none', onError: 'continue', ...request }),
  );
  if (state !== 'filling') return id;
  for (let first = 0; first < items.length; first += BATCH_PAGE_ITEMS)
    await ask({ call: 'batch_add', batchId: id, first, items: items.slice(first, first + BATCH_PAGE_ITEMS) });
  await ask({ call: 'batch_seal', batchId: id });
  return id;
}

/** What `batch.results()` of the SDK does. */
export async function* results({ ask }: HandlerContext, batchId: string): AsyncGenerator<ChildResult> {
  for (let from = 0; ; ) {
    const page = callAnswers.batch_results.parse(await ask({ call: 'batch_results', batchId, from }));
    yield* page.results;
    from += page.results.length;
    if (page.over) return;
  }
}
