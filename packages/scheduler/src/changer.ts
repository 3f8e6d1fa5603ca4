import { isDeepStrictEqual } from 'node:util';
import { actionOf, checkUnknownTask, type Emit, EscapementError, SECOND, type TaskDefinition } from '@escapement/core';
import { type SaveContext, saveDefinition } from '@escapement/operations';
import { createLoop, type Loop } from '@escapement/service';
import {
  type Database,
  dueTaskChanges,
  failTaskChange,
  forgetTaskChange,
  isDataFault,
  type Task,
  type TaskChange,
} from '@escapement/store';
import { NO_PROBES, type Probes } from './probes.ts';

const WAIT_MS = 2 * SECOND;
/** Saved so long before they count, so that the first occurrence of the new definition is in time. */
const AHEAD_MS = 5 * SECOND;
const BATCH = 100;

export interface ChangerOptions {
  db: Database;
  /** Asked before each look. Default: it looks each time. */
  probes?: Pick<Probes, 'see'>;
  emit: Emit;
  onError: (error: unknown) => void;
}

/**
 * Saves definitions whose time has come, to count from the very instant that was asked for. Any number of schedulers
 * may do it: saving what is saved already changes nothing.
 */
export function createChanger({ db, probes = NO_PROBES, emit, onError }: ChangerOptions): Loop {
  async function runOnce(): Promise<number> {
    if (!(await probes.see('changes'))) return WAIT_MS;
    const changes = await dueTaskChanges(db, { aheadMs: AHEAD_MS, limit: BATCH });
    for (const change of changes) await carryOut(change);
    return changes.length === BATCH ? 0 : WAIT_MS;
  }

  async function carryOut(change: TaskChange): Promise<void> {
    const { name, effectiveAt, source, createdBy, note } = change;
    try {
      const definition = checkUnknownTask(change.definition);
      // They were asked when it was given: what is due later is theirs whatever has become of their rights.
      const context: SaveContext = {
        source,
        by: { ...actionOf(createdBy, note), grants: 'all' },
        effectiveAt,
        edited: true,
        guard: async (current) => refuseOtherBase(change, definition, current),
      };
      const saved = await saveDefinition(db, definition, context);
      if (await forgetTaskChange(db, change)) emit({ event: 'task_changed', task: name, version: saved.version });
    } catch (error) {
      if (!(error instanceof Error && isDataFault(error))) throw error;
      await failTaskChange(db, change, error.message);
      emit({ event: 'task_change_failed', task: name, error });
    }
  }

  return createLoop({ name: 'changer', runOnce, onError });
}

/**
 * Throws `version_changed` where the task is not as it was when the change was given: the change holds the whole definition, and would take back
 * what others have done. What another scheduler has saved of this change is no such difference.
 */
function refuseOtherBase({ name, basedOn }: TaskChange, definition: TaskDefinition, current: Task | null): void {
  const version = current?.version ?? 0;
  if (basedOn === null || basedOn === version || isDeepStrictEqual(current?.definition, definition)) return;
  const was = basedOn === 0 ? 'when there was none' : `for version ${basedOn}`;
  throw new EscapementError(
    'version_changed',
    `task ${name} has version ${version} by now; the change was given ${was}`,
    {
      fix: 'give the change again',
    },
  );
}
