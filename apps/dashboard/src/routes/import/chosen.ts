import type { CrontabLine } from './use-crontab.ts';

/** A line of which a task is made, or changed. */
export function isWritable({ action }: Pick<CrontabLine, 'action'>): boolean {
  return action === 'create' || action === 'update';
}

/** The numbers of the lines that are written: all that can be, but those that one has left out. */
export function chosenLines(lines: readonly CrontabLine[], left: ReadonlySet<number>): number[] {
  return lines.filter((each) => isWritable(each) && !left.has(each.line)).map(({ line }) => line);
}
