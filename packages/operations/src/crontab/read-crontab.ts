import type { Schedule } from '@escapement/core';
import { lineIds } from './line-ids.ts';
import { type CrontabLine, parseCrontab } from './parse.ts';
import { plainCrontab } from './patch-crontab.ts';
import { type ToTaskOptions, toTask, type UnnamedTask } from './to-task.ts';

export interface ReadOptions extends ToTaskOptions {
  system: boolean;
  /** Whose crontab it is. Only without `system`. */
  user?: string | undefined;
  /** Where it is from: part of the ids of its lines. */
  name: string;
  /** cron goes on running the lines: their tasks are in its shadow. Default false. */
  shadow?: boolean | undefined;
}

/** A line that can be a task. */
export interface TaskLine {
  line: number;
  text: string;
  /** By which its host reports what cron did. */
  id: string;
  task: UnnamedTask;
  schedule: Schedule;
  timeZone: string;
  notes: string[];
}

export interface BadLine {
  line: number;
  text: string;
  reason: string;
}

export interface ReadCrontab {
  tasks: TaskLine[];
  bad: BadLine[];
  /** About settings, with their line's number. */
  notes: string[];
}

/**
 * Reads a whole crontab: each line is a task, refused with its reason, or one that makes none. One that is patched to report is read as it was
 * before. Pure.
 */
export function readCrontab(text: string, options: ReadOptions): ReadCrontab {
  const read: ReadCrontab = { tasks: [], bad: [], notes: [] };
  const lines = parseCrontab(plainCrontab(text, options.system), options);
  const ids = lineIds(lines, options.name);
  for (const line of lines) place({ ...line, id: ids.get(line.line) ?? '' }, read, options);
  return read;
}

function place(each: CrontabLine & { id: string }, { tasks, bad, notes }: ReadCrontab, options: ReadOptions): void {
  const { line, text, id } = each;
  if (each.kind === 'bad') bad.push({ line, text, reason: each.reason });
  else if (each.kind === 'env') notes.push(...each.notes.map((note) => `line ${line}: ${note}`));
  else if (each.kind === 'schedule') {
    const { ok, ...result } = toTask(each, options);
    if ('reason' in result) bad.push({ line, text, reason: result.reason });
    else if (options.shadow) tasks.push({ line, text, id, ...result, task: { ...result.task, shadow: { line: id } } });
    else tasks.push({ line, text, id, ...result });
  }
}
