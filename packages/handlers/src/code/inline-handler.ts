import type { Clock, Handler, HandlerContext } from '@escapement/core';
import { runTask, type TaskModule } from '@escapement/sdk';
import { notBegun } from '../abort.ts';
import { DEFAULT_OUTPUT_BYTES, RunOutput } from '../output/run-output.ts';
import type { InlineRuns } from './inline-runs.ts';
import { outOfScope } from './run-scope.ts';

export interface InlineHandlerOptions {
  clock: Clock;
  inline: InlineRuns;
  /** What must not show in logs. */
  secrets: readonly string[];
  /** The secrets that the task declares. */
  given?: Readonly<Record<string, string>> | undefined;
}

/** Runs a task that was written with `defineTask` in this process. */
export function createInlineHandler(
  task: TaskModule,
  { clock, inline, secrets, given }: InlineHandlerOptions,
): Handler {
  return async (context) => {
    if (context.signal.aborted) return notBegun(context.signal);
    const output = new RunOutput({ log: context.log, maxBytes: DEFAULT_OUTPUT_BYTES, secrets });
    // Their timers and connections are the worker's own.
    const log = { write: (text: string) => outOfScope(() => output.writeText(text)) };
    const progress: HandlerContext['progress'] = (...report) => outOfScope(() => context.progress(...report));
    const ask: HandlerContext['ask'] = (call) => outOfScope(() => context.ask(call));
    const inlineContext = { ...context, log, progress, ask, ...(given === undefined ? {} : { secrets: given }) };
    const outcome = await inline.run(context.run, () => runTask(task, inlineContext, clock));
    // What a promise that was left behind still writes belongs to no run any more.
    output.end();
    return outcome;
  };
}
