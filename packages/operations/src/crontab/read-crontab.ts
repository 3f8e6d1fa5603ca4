import type { Schedule } from '@escapement/core';
import { type CrontabLine, parseCrontab } from './parse.ts';
import { type ToTaskOptions, toTask, type UnnamedTask } from './to-task.ts';

export interface ReadOptions extends ToTaskOptions {
  system: boolean;
}

/** A line that can be a task. */
export interface TaskLine {
  line: number;
  text: string;
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

/** Reads a whole crontab: each line is a task, refused with its reason, or one that makes none. Pure. */
export function readCrontab(text: string, options: ReadOptions): ReadCrontab {
  const read: ReadCrontab = { tasks: [], bad: [], notes: [] };
  for (const line of parseCrontab(text, { system: options.system })) place(line, read, options);
  return read;
}

function place(each: CrontabLine, { tasks, bad, notes }: ReadCrontab, options: ToTaskOptions): void {
  const { line, text } = each;
  if (each.kind === 'bad') bad.push({ line, text, reason: each.reason });
  else if (each.kind === 'env') notes.push(...each.notes.map((note) => `line ${line}: ${note}`));
  else if (each.kind === 'schedule') {
    const { ok, ...result } = toTask(each, options);
    if ('reason' in result) bad.push({ line, text, reason: result.reason });
    else tasks.push({ line, text, ...result });
  }
}
