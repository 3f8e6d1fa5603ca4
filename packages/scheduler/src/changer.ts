import { type Emit, EscapementError, SECOND } from '@escapement/core';
import { checkUnknownTask, saveDefinition } from '@escapement/operations';
import { createLoop, type Loop } from '@escapement/service';
import { type Database, dropTaskChange, dueTaskChanges, failTaskChange, type TaskChange } from '@escapement/store';

const WAIT_MS = 2 * SECOND;
/** Saved so long before they count, so that the first occurrence of the new definition is in time. */
const AHEAD_MS = 5 * SECOND;
const BATCH = 100;

export interface ChangerOptions {
  db: Database;
  emit: Emit;
  onError: (error: unknown) => void;
}

/**
 * Saves definitions whose time has come, to count from the very instant that was asked for. Any number of schedulers
 * may do it: saving what is saved already changes nothing.
 */
export function createChanger({ db, emit, onError }: ChangerOptions): Loop {
  async function runOnce(): Promise<number> {
    const changes = await dueTaskChanges(db, { aheadMs: AHEAD_MS, limit: BATCH });
    for (const change of changes) await carryOut(change);
    return changes.length === BATCH ? 0 : WAIT_MS;
  }

  async function carryOut(change: TaskChange): Promise<void> {
    const { name, effectiveAt, source, createdBy: who, note } = change;
    try {
      const context = { source, who, effectiveAt, ...(note === null ? {} : { note }) };
      const saved = await saveDefinition(db, checkUnknownTask(change.definition), context);
      if (await dropTaskChange(db, change)) emit({ event: 'task_changed', task: name, version: saved.version });
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      await failTaskChange(db, change, error.message);
      emit({ event: 'task_change_failed', task: name, error });
    }
  }

  return createLoop({ name: 'changer', runOnce, onError });
}
