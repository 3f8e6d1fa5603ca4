import type { PlannedOccurrence } from './planned-occurrence.ts';

/**
 * Neighbours that never run for the same reason become one row; those after `now` keep their own: an edit may come before
 * them, and what is due then has to find its instant free.
 */
export function joinStretches(occurrences: readonly PlannedOccurrence[], now: Date): PlannedOccurrence[] {
  const rows: PlannedOccurrence[] = [];
  for (const each of occurrences) {
    const last = rows.at(-1);
    if (last && each.scheduledFor <= now && isOver(last) && last.state === each.state && last.reason === each.reason) {
      last.untilAt = each.scheduledFor;
      last.occurrences += 1;
    } else rows.push({ ...each });
  }
  return rows;
}

function isOver({ state }: PlannedOccurrence): boolean {
  return state === 'missed' || state === 'skipped';
}
