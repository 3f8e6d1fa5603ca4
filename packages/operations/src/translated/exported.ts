import type { Clock, LabelSelector, TaskDefinition } from '@escapement/core';
import { type Database, listTasks } from '@escapement/store';
import { activePause } from '../tasks/task-stand.ts';

/** A task that is to be written in another format. */
export interface ExportedTask {
  definition: TaskDefinition;
  paused: boolean;
}

/** A task that another format cannot express, and why. */
export interface LeftTask {
  name: string;
  reason: string;
}

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
