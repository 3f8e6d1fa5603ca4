import { type HandlerLookup, handlerFacts, needsCode } from '@escapement/core';
import { type DispatchableRun, isPassingError, type TaskVersion } from '@escapement/store';
import type { Execution, Outcome } from './execution.ts';
import type { RunLedger } from './run-ledger.ts';

/** A run that comes back to this worker comes to the next one so much later, in milliseconds, and each time twice as late. */
const FIRST_DELAY_MS = 25;
/** The latest. The reconciler leaves a job alone for a second. */
const MAX_DELAY_MS = 900;
/** Runs whose passes are counted: more than a worker has in hand at once. */
const MOST_COUNTED = 1000;

/** How long a run is to be kept back that is passed on once more, in milliseconds: the first time not at all. */
export type PassDelays = (runId: string) => number;

/** Counts how often this worker has passed on each run. Those that it had in hand last are remembered. */
export function createPassDelays(): PassDelays {
  const passes = new Map<string, number>();
  return (runId) => {
    const before = passes.get(runId) ?? 0;
    passes.delete(runId);
    passes.set(runId, before + 1);
    const [oldest] = passes.keys();
    if (passes.size > MOST_COUNTED && oldest !== undefined) passes.delete(oldest);
    return before === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (before - 1), MAX_DELAY_MS);
  };
}

export interface PassOnParts {
  ledger: Pick<RunLedger, 'definition' | 'codeIsElsewhere' | 'passOn'>;
  handlers: HandlerLookup;
  workerId: string;
  passDelays: PassDelays;
  /** Adds the jobs of runs that another worker should have, so many milliseconds later. Never rejects. */
  enqueueLater: (runs: readonly DispatchableRun[], delayMs: number) => Promise<void>;
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
  const code = task && handlerFacts(task.definition.handler).code;
  if (!code) return 'done';
  const isElsewhere = await ledger.codeIsElsewhere({ name: code.name, pool: task.definition.pool, worker });
  await parts.enqueueLater(await ledger.passOn({ ...run, dispatch, rests: !isElsewhere }), parts.passDelays(run.runId));
  return 'done';
}
