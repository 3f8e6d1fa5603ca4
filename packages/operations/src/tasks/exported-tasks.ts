import type { Clock } from '@escapement/core';
import type { LabelSelector } from '@escapement/core/rights';
import type { ExportedTask } from '@escapement/formats';
import { type Database, listTasks } from '@escapement/store';
import { activePause } from './task-status.ts';

/** Which tasks. */
export interface TasksAsked {
  source?: string | undefined;
  labels?: LabelSelector | undefined;
}

/** Tasks with all that stands in their commands. Reads only. */
export async function exportedTasks(db: Database, asked: TasksAsked, clock: Clock): Promise<ExportedTask[]> {
  const tasks = await listTasks(db, asked);
  const now = clock.now();
  return tasks.map(({ definition, pauses }) => ({ definition, paused: activePause(pauses, now) !== undefined }));
}
