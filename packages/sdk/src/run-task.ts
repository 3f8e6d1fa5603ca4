import {
  admitJson,
  type Clock,
  EscapementError,
  type HandlerContext,
  type HandlerOutcome,
  outcomeOfThrown,
  toRunError,
} from '@escapement/core';
import type { TaskModule } from './define-task.ts';
import { checkPayload, PayloadError } from './payload.ts';
import type { TaskContext } from './task-context.ts';
import { createTaskLog } from './task-log.ts';

/** What a task needs from whoever runs it. */
export type TaskRunContext = Pick<HandlerContext, 'run' | 'payload' | 'signal' | 'log' | 'heartbeat' | 'progress'>;

/** One attempt of a task: payload checked, handler called, result or throw turned into an outcome. Never rejects. */
export async function runTask(task: TaskModule, context: TaskRunContext, clock: Clock): Promise<HandlerOutcome> {
  let output: unknown;
  try {
    const payload = task.payload ? await checkPayload(task.name, task.payload, context.payload) : context.payload;
    const log = createTaskLog(context.log, clock);
    const { run, signal } = context;
    const heartbeat = () => context.heartbeat();
    const progress: TaskContext['progress'] = (...report) => context.progress(...report);
    output = await task.run(payload, { run, signal, log, heartbeat, progress });
  } catch (thrown) {
    if (thrown instanceof PayloadError) return { status: 'failed', error: toRunError(thrown), retry: 'never' };
    return outcomeOfThrown(thrown, clock.now());
  }
  return succeeded(task.name, output);
}

/** As `JSON.stringify` sees it: dates become text, undefined fields go. What it cannot hold fails, since a retry would repeat the work. */
function succeeded(task: string, output: unknown): HandlerOutcome {
  const what = `output of task ${task}`;
  try {
    const json = JSON.stringify(output);
    if (json === undefined) return { status: 'succeeded' };
    return { status: 'succeeded', output: admitJson(JSON.parse(json), what) };
  } catch (thrown) {
    return { status: 'failed', error: toRunError(badOutput(what, thrown)), retry: 'never' };
  }
}

/** The ledger keeps a message and no fix, and what JSON says of a cycle does not say that it is about the output. */
function badOutput(what: string, thrown: unknown): EscapementError {
  if (thrown instanceof EscapementError)
    return new EscapementError(thrown.code, thrown.fix ? `${thrown.message}; ${thrown.fix}` : thrown.message);
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return new EscapementError('output_not_json', `${what} cannot be written as JSON: ${why}`, { cause: thrown });
}
