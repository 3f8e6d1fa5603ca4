import type { Clock, Handler } from '@escapement/core';
import { runTask, type TaskModule } from '@escapement/sdk';
import { notBegun } from '../abort.ts';
import { RunOutput } from '../output/run-output.ts';

/** Cap of the log of a run in code, in bytes. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** Runs a task that was written with `defineTask`. */
export function createCodeHandler(task: TaskModule, clock: Clock): Handler {
  return async (context) => {
    if (context.signal.aborted) return notBegun(context.signal);
    const output = new RunOutput({ log: context.log, maxBytes: MAX_LOG_BYTES });
    const log = { write: (text: string) => output.writeText(text) };
    const outcome = await runTask(task, { ...context, log }, clock);
    // What a promise that was left behind still writes belongs to no run any more.
    output.end();
    return outcome;
  };
}
