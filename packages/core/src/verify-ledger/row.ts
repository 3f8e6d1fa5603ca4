import { SECOND } from '../clock.ts';
import type { LedgerRow, OccurrenceFinding } from './question.ts';

/** What was beginning while an edit, a calendar or a pause was saved may not have seen it. */
export const UNDER_WAY_MS = 10 * SECOND;

/** A row that accounts for all occurrences up to another. */
export type Stretch = LedgerRow & { untilAt: Date };

export function isStretch(row: LedgerRow): row is Stretch {
  return row.untilAt !== null;
}

export function covers(row: LedgerRow, at: number): boolean {
  return row.scheduledFor.getTime() <= at && at <= (row.untilAt ?? row.scheduledFor).getTime();
}

export function finding(
  kind: OccurrenceFinding['kind'],
  at: number,
  row: LedgerRow | null,
  detail: string,
): OccurrenceFinding {
  return { kind, scheduledFor: new Date(at), runId: row?.runId ?? null, detail };
}
