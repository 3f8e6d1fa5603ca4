import {
  type Clock,
  type CodeHandler,
  DEFAULT_MEMORY_LIMIT_MB,
  type Handler,
  type HandlerContext,
  type HandlerOutcome,
} from '@escapement/core';
import { notBegun } from '../../abort.ts';
import { DEFAULT_OUTPUT_BYTES, RunOutput } from '../../output/run-output.ts';
import type { OnHandlerEvent } from '../event.ts';
import { attempt } from './attempt.ts';
import type { DescribedTask } from './describe-tasks.ts';
import type { OnLeft } from './leftovers/report-once.ts';
import type { ProcessPool } from './pool.ts';
import type { RunOrder } from './protocol.ts';

/** Room for the notes about a log that the process has capped already. */
const NOTES_BYTES = 64 * 1024;
/** Processes that a run is offered to, where one was gone before it could begin it. */
const MAX_PROCESSES = 3;

export interface ProcessHandlerOptions {
  pool: ProcessPool;
  clock: Clock;
  /** How long an aborted handler may take before its process is killed. Milliseconds. */
  killAfterMs: number;
  /** A process that does not hear from its worker for so long stops its handler. Milliseconds. */
  workerTimeoutMs: number;
  onEvent: OnHandlerEvent;
  /** Told what a run has left behind in its process. */
  onLeft: OnLeft;
  /** What must not show in logs. */
  secrets: readonly string[];
  /** The secrets that the task declares; undefined: none. */
  given?: Readonly<Record<string, string>> | undefined;
}

/** Runs a task that was written with `defineTask` in a process of its own. */
export function createProcessHandler(
  { file }: DescribedTask,
  spec: CodeHandler,
  options: ProcessHandlerOptions,
): Handler {
  const memoryLimitMb = spec.memoryLimitMb ?? DEFAULT_MEMORY_LIMIT_MB;
  return async (context): Promise<HandlerOutcome> => {
    if (context.signal.aborted) return notBegun(context.signal);
    let onEntered: () => void = () => undefined;
    // The limits of the run begin with its handler: until then a process starts, and loads the module.
    const entered = new Promise<void>((resolve) => {
      onEntered = resolve;
    });
    void context.preparing(entered);
    const { pool, clock, onEvent } = options;
    const output = new RunOutput({
      log: context.log,
      maxBytes: DEFAULT_OUTPUT_BYTES + NOTES_BYTES,
      secrets: options.secrets,
    });
    const order = orderOf({ file, task: spec.name }, context, options);
    const onBlocked = (blockedMs: number) =>
      onEvent({ event: 'loop_blocked', where: 'handler', runs: [context.run.id], blockedMs });
    for (let tries = 1; ; tries++) {
      const process = await pool.take({ file, memoryLimitMb, sole: options.given !== undefined }, context.signal);
      if (!process) return context.signal.aborted ? notBegun(context.signal) : WORKER_ENDS;
      const given = { order, context, output, clock, onBlocked, onEntered };
      const { outcome, rest, left, gone } = await attempt(process, given);
      void rest.then((clean) => pool.giveBack(process, clean));
      if (left) options.onLeft({ run: context.run.id, task: spec.name, left }, output);
      if (gone && tries < MAX_PROCESSES) continue;
      output.end();
      return outcome;
    }
  };
}

const WORKER_ENDS: HandlerOutcome = {
  status: 'failed',
  work: 'not_begun',
  error: { name: 'ProcessNotStarted', message: 'its process was not started, as its worker ends' },
};

function orderOf(
  { file, task }: Pick<RunOrder, 'file' | 'task'>,
  context: HandlerContext,
  options: ProcessHandlerOptions,
): RunOrder {
  const { killAfterMs, workerTimeoutMs, given } = options;
  const { run, payload, state } = context;
  return {
    type: 'run',
    file,
    task,
    run,
    workerTimeoutMs,
    killAfterMs,
    ...(payload === undefined ? {} : { payload }),
    ...(state === undefined ? {} : { state }),
    ...(given === undefined ? {} : { secrets: { ...given } }),
  };
}
