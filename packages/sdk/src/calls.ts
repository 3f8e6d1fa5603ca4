import { callAnswers, EscapementError, type HandlerCall } from '@escapement/core';
import type { TaskRunContext } from './run-task.ts';
import type { TaskContext } from './task-context.ts';

/** What a task asks its worker for. Each answer is checked: worker and task may be of different versions. */
export function callsOf(context: TaskRunContext): Pick<TaskContext, 'previous'> {
  async function ask(call: HandlerCall): Promise<unknown> {
    if (context.ask) return await context.ask(call);
    throw new EscapementError('no_worker', `there is no worker to ask for "${call.call}"`, {
      fix: 'give the context an `ask`, or run the task in a fleet',
    });
  }
  return {
    previous: async () => callAnswers.previous.parse(await ask({ call: 'previous' })),
  };
}
