import { createHash } from 'node:crypto';
import type { CrontabLine } from './parse.ts';

const DIGITS = 12;

/**
 * The ids of the lines that run a command, by their numbers: made of where they stand, when they run, as whom and what. The same line a
 * second time has -2. Whoever reads the same crontab under the same name makes the same ids. Pure.
 */
export function lineIds(lines: readonly CrontabLine[], source: string): Map<number, string> {
  const counts = new Map<string, number>();
  const ids = new Map<number, string>();
  for (const each of lines) {
    if (each.kind !== 'schedule') continue;
    const said = JSON.stringify([source, each.schedule, each.user ?? '', each.command, each.stdin ?? '']);
    const id = createHash('sha256').update(said).digest('hex').slice(0, DIGITS);
    const count = (counts.get(id) ?? 0) + 1;
    counts.set(id, count);
    ids.set(each.line, count === 1 ? id : `${id}-${count}`);
  }
  return ids;
}
