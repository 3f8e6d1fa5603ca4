import { callAnswers, EscapementError, type HandlerCall, type HandlerContext } from '@escapement/core';
import { batchOf } from './fan-out/batch.ts';
import { FanOuts } from './fan-out/fan-out.ts';
import { Lists } from './lists/lists.ts';
import type { TaskContext } from './task-context.ts';

export interface Calls extends Pick<TaskContext, 'previous' | 'fanOut' | 'batch' | 'take' | 'list'> {
  /** Resolves when what a run must not end without is done. */
  settled(): Promise<void>;
}

/** What a task asks its worker for. Each answer is checked: worker and task may be of different versions. */
export function callsOf(context: Partial<Pick<HandlerContext, 'ask'>>): Calls {
  async function ask(call: HandlerCall): Promise<unknown> {
    if (context.ask) return await context.ask(call);
    throw new EscapementError('no_worker', `there is no worker to ask for "${call.call}"`, {
      fix: 'give the context an `ask`, or run the task in a fleet',
    });
  }
  const fanOuts = new FanOuts(ask);
  const lists = new Lists(ask);
  return {
    fanOut: (task, items, options) => fanOuts.fanOut(task, items, options),
    batch: (id) => batchOf(id, ask),
    take: (list) => lists.take(list),
    list: (name) => lists.list(name),
    settled: () => fanOuts.settled(),
    previous: async () => callAnswers.previous.parse(await ask({ call: 'previous' })),
  };
}
