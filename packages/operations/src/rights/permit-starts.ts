import { EscapementError, PRINCIPALS_OF_TRUST } from '@escapement/core';
import { taskObject } from '@escapement/core/rights';
import { type Database, grantsOf, type TaskVersion, taskLabels } from '@escapement/store';
import { toGrant } from '../access/grant.ts';
import { permit } from './permit.ts';

/** A run that starts others under names that were not known when its task was saved. */
export interface Starter {
  runId: string;
  task: Pick<TaskVersion, 'name' | 'savedBy'>;
}

/**
 * Asks whether who saved the task of a run may start these others, by what they are granted now. Of a task that was saved by a process
 * or by the command line without a token nothing is looked up. Throws `not_allowed`.
 */
export async function permitStarts(db: Database, { runId, task }: Starter, targets: readonly string[]): Promise<void> {
  const { savedBy } = task;
  if (PRINCIPALS_OF_TRUST.includes(savedBy.kind)) return;
  const grants = (await grantsOf(db, savedBy)).map((granted) => toGrant(db.namespace, granted));
  const labels = await taskLabels(db, targets);
  const by = {
    principal: { ...savedBy, address: null },
    grants,
    reason: `run ${runId} of ${task.name}`,
    requestId: null,
  };
  for (const target of targets) {
    const needs = [{ right: 'trigger', object: taskObject(db.namespace, target, labels.get(target)) }] as const;
    try {
      await permit(db, by, { action: 'trigger', subject: { task: target } }, () => needs);
    } catch (error) {
      throw error instanceof EscapementError ? mayNot(task.name, error) : error;
    }
  }
}

function mayNot(task: string, { code, message }: EscapementError): EscapementError {
  return new EscapementError(code, `who saved the task ${task} may not start that one: ${message}`, {
    fix: `let somebody save ${task} who has the right, or ask an admin of the namespace`,
  });
}
