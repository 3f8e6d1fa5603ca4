import type { PlannedOccurrence } from './planned-occurrence.ts';

/** Neighbours that never run for the same reason become one row. */
export function joinStretches(occurrences: readonly PlannedOccurrence[]): PlannedOccurrence[] {
  const rows: PlannedOccurrence[] = [];
  for (const each of occurrences) {
    const last = rows.at(-1);
    if (last && isOver(last) && last.state === each.state && last.reason === each.reason) {
      last.untilAt = each.scheduledFor;
      last.occurrences += 1;
    } else rows.push({ ...each });
  }
  return rows;
}

function isOver({ state }: PlannedOccurrence): boolean {
  return state === 'missed' || state === 'skipped';
}
