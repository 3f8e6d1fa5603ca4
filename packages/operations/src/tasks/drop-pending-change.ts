import type { By } from '@escapement/core';
import { type Database, dropTaskChange } from '@escapement/store';
import { permitOnTask } from '../rights/permit.ts';
import { requireTask } from './require-task.ts';

/** Forgets the change of a task that waits for its time. False: none is waiting. Throws `unknown_task`. */
export async function dropPendingChange(db: Database, name: string, by: By): Promise<boolean> {
  await permitOnTask(db, by, 'edit', { name, action: 'drop pending change' });
  await requireTask(db, name);
  return await dropTaskChange(db, name, by);
}
