import { type HandlerLookup, needsCode } from '@escapement/core';
import { type DispatchableRun, isPassingError, type TaskVersion } from '@escapement/store';
import type { Execution, Outcome } from './execution.ts';
import type { RunLedger } from './run-ledger.ts';

/** So long after it was passed on a run comes to the next worker, in milliseconds. The reconciler leaves a job alone for a second. */
export const PASS_ON_MS = 900;

export interface PassOnParts {
  ledger: Pick<RunLedger, 'definition' | 'codeIsElsewhere' | 'passOn'>;
  handlers: HandlerLookup;
  workerId: string;
  /** Adds the jobs of runs that another worker should have `PASS_ON_MS` later. Never rejects. */
  enqueueLater: (runs: readonly DispatchableRun[]) => Promise<void>;
}

/** Whether this worker's release of an application lacks the code that the run needs. */
export async function lacksCode({ run }: Execution, parts: PassOnParts): Promise<boolean> {
  if (!needsCode(run.need)) return false;
  const task = await definitionOf(run, parts);
  return task !== undefined && parts.handlers(task.definition.handler) === undefined;
}

/** Undefined: it cannot be read here, which is told once the run has begun. */
async function definitionOf(run: Execution['run'], { ledger }: PassOnParts): Promise<TaskVersion | undefined> {
  try {
    return await ledger.definition(run.taskId, run.taskVersion);
  } catch (error) {
    if (isPassingError(error)) throw error;
    return undefined;
  }
}

/**
 * Gives a run that has not begun to another worker of the application, as while a new release of it is rolled out. Where none
 * that lives has its code the run rests in a queue of its own until one comes that has.
 */
export async function passOn({ run, dispatch }: Execution, parts: PassOnParts): Promise<Outcome> {
  const { ledger, workerId: worker } = parts;
  const task = await definitionOf(run, parts);
  const handler = task?.definition.handler;
  if (!task || handler?.type !== 'code') return 'done';
  const isElsewhere = await ledger.codeIsElsewhere({ name: handler.name, pool: task.definition.pool, worker });
  await parts.enqueueLater(await ledger.passOn({ ...run, dispatch, rests: !isElsewhere }));
  return 'done';
}
