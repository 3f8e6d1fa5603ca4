import { HOUR } from '../../time/durations.ts';

interface Listed {
  nextRunAt: string | null;
  nextStartAt: string | null;
}

/**
 * The tasks of a page that start within the hour, the next one first. An occurrence that a pause, a freeze or the shadow of cron keeps
 * from running is no start. The page has the next occurrences first, and no task starts before its next occurrence.
 */
export function dueSoon<T extends Listed>(
  { items, next }: { items: readonly T[]; next: string | null },
  now: number,
): { due: readonly (T & { nextStartAt: string })[]; isCut: boolean } {
  const due = items
    .filter((task): task is T & { nextStartAt: string } => isSoon(task.nextStartAt, now))
    .sort((one, other) => Date.parse(one.nextStartAt) - Date.parse(other.nextStartAt));
  // Behind the page there may be others, unless it reaches over the hour.
  return { due, isCut: next !== null && isSoon(items.at(-1)?.nextRunAt ?? null, now) };
}

function isSoon(at: string | null, now: number): at is string {
  return at !== null && Date.parse(at) < now + HOUR;
}
