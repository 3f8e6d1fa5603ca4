import { EscapementError, nearest, type TaskDefinition } from '@escapement/core';
import { parseSchedule, type Schedule } from '@escapement/core/schedule';
import { type Cutover, cutoversOf, type Database, listTasks, type Task } from '@escapement/store';

/** The tasks of lines of crontabs; by a source, of that crontab, or of those of the host of that name. Throws `unknown_source`. */
export async function tasksOfLines(db: Database, source: string | undefined): Promise<Task[]> {
  const tasks = (await listTasks(db)).filter(({ definition }) => definition.shadow !== undefined);
  const isOf = (name: string) => name === source || name.startsWith(`${source}:`);
  const wanted = tasks.filter((task) => source === undefined || isOf(nameOf(task)));
  if (source !== undefined && wanted.length === 0) throw unknownSource(source, tasks);
  return wanted;
}

export function lineOf({ definition }: Task): string {
  return definition.shadow?.line ?? '';
}

/** Of its crontab. */
export function nameOf({ source }: Task): string {
  return source.replace(/^crontab:/, '');
}

export function scheduleOf({ definition, name }: Task): Schedule {
  return parseSchedule(definition.schedule, { seed: name });
}

/**
 * Refuses a definition of another line: while a cut-over is open; and where the fleet has the line, since neither side, or both, would run it
 * until its host has the other one too. Throws `open_cutover`, `line_of_fleet`.
 */
export async function refuseOtherLine(db: Database, current: Task, { shadow }: TaskDefinition): Promise<void> {
  const line = current.definition.shadow?.line;
  if (line === undefined || line === shadow?.line) return;
  await refuseWhileOpen(db, current, 'leave its line now');
  if (shadow === undefined || current.handovers.at(-1)?.to !== 'fleet') return;
  throw new EscapementError(
    'line_of_fleet',
    `${current.name} runs in place of line ${line}: it cannot become line ${shadow.line}`,
    {
      fix: `edit the task itself, and leave its line in the crontab as it is; or give it back first: \`escapement shadow back ${line}\``,
    },
  );
}

/** Throws `open_cutover` where the line of a task has a cut-over that its host has not answered. */
export async function refuseWhileOpen(db: Database, task: Task, action: string): Promise<void> {
  if (task.handovers.every(({ isTaken }) => isTaken)) return;
  const open = (await cutoversOf(db, [lineOf(task)])).find(({ state }) => state === 'proposed');
  if (open) throw openCutover(open, `${task.name} cannot ${action}`);
}

export function openCutover({ line, host, to, at }: Cutover, what: string): EscapementError {
  return new EscapementError(
    'open_cutover',
    `${what}: ${host} has not answered the cut-over of line ${line} to ${to} at ${at.toISOString()}`,
    {
      fix: `\`escapement report --send\` on ${host} asks for it; if it will never answer: \`escapement shadow settle ${line} --taken\` or \`--refused\``,
    },
  );
}

function unknownSource(source: string, tasks: readonly Task[]): EscapementError {
  const near = nearest(source, new Set(tasks.map(nameOf)));
  return new EscapementError('unknown_source', `no task of a crontab "${source.slice(0, 100)}" is in its shadow`, {
    fix: near ? `did you mean ${near}?` : '`escapement import crontab FILE --shadow --write` makes such tasks',
  });
}
