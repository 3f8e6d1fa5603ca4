import type { Clock, LabelSelector } from '@escapement/core';
import { type Database, listTasks } from '@escapement/store';
import { activePause } from '../tasks/task-stand.ts';
import { type CrontabExport, type ExportOptions, toCrontab } from './to-crontab.ts';

/** Which tasks, and how. */
export interface ExportAsked extends ExportOptions {
  source?: string | undefined;
  labels?: LabelSelector | undefined;
}

/** Tasks as a crontab, with all that stands in their commands. Reads only. */
export async function exportCrontab(
  db: Database,
  { source, labels, ...options }: ExportAsked,
  clock: Clock,
): Promise<CrontabExport> {
  const tasks = await listTasks(db, { source, labels });
  const now = clock.now();
  const exported = tasks.map(({ definition, pauses }) => ({
    definition,
    paused: activePause(pauses, now) !== undefined,
  }));
  return toCrontab(exported, options);
}
