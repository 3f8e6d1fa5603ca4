import type { Schedule } from '@escapement/core/schedule';
import { lineIds } from './line-ids.ts';
import { type CrontabLine, parseCrontab } from './parse.ts';
import { unpatched } from './patch-crontab.ts';
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
  const plain = unpatched(text, options.system);
  const lines = parseCrontab(plain.text, options);
  const ids = lineIds(lines, options.name);
  for (const line of lines) place({ ...line, id: ids.get(line.line) ?? '' }, read, options);
  for (const { line, id, notes } of read.tasks) notes.unshift(...otherIdNotes(id, plain.ids.get(line)));
  return read;
}

/** What the host tells belongs to no task then, and a cut-over finds no host. */
function otherIdNotes(id: string, reported: string | undefined): string[] {
  if (reported === undefined || reported === id) return [];
  return [
    `reported as ${reported}, and here it is ${id}: what its host tells of it does not reach this task. Give the --source, --system or --user that it was patched with; or patch the crontab again as it is imported, if the line was edited since`,
  ];
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
