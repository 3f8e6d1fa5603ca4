import type { Clock } from '@escapement/core';
import { type CrontabExport, type ExportOptions, toCrontab } from '@escapement/formats';
import type { Database } from '@escapement/store';
import { exportedTasks, type TasksAsked } from '../tasks/exported-tasks.ts';

/** Which tasks, and how. */
export type ExportAsked = ExportOptions & TasksAsked;

/** Tasks as a crontab, with all that stands in their commands. Reads only. */
export async function exportCrontab(
  db: Database,
  { source, labels, ...options }: ExportAsked,
  clock: Clock,
): Promise<CrontabExport> {
  return toCrontab(await exportedTasks(db, { source, labels }, clock), options);
}
