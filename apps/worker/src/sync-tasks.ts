import { EscapementError, type TaskInput } from '@escapement/core';
import { saveTask } from '@escapement/engine';
import type { Logger } from '@escapement/service';
import type { Database } from '@escapement/store';

interface DefinedTask {
  name: string;
  toDefinition(): TaskInput;
}

/**
 * Saves the tasks of this worker's code. A new version is made only where something changed; one that cannot be saved
 * is reported and does not hold the others up.
 */
export async function syncTasks(db: Database, tasks: readonly DefinedTask[], log: Logger): Promise<void> {
  for (const task of tasks) {
    try {
      const saved = await saveTask(db, task.toDefinition(), { source: 'code', who: 'worker' });
      if (saved.kind === 'created' || saved.kind === 'updated')
        log.info({ task: task.name, version: saved.version }, `task ${saved.kind} from code`);
    } catch (error) {
      if (!(error instanceof EscapementError)) throw error;
      log.error({ task: task.name, code: error.code, fix: error.fix }, error.message);
    }
  }
}
