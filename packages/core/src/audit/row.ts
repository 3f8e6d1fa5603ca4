import type { AuditFinding, AuditRow } from './audit.ts';

/** A row that accounts for all occurrences up to another. */
export type Stretch = AuditRow & { untilAt: Date };

export function isStretch(row: AuditRow): row is Stretch {
  return row.untilAt !== null;
}

export function covers(row: AuditRow, at: number): boolean {
  return row.scheduledFor.getTime() <= at && at <= (row.untilAt ?? row.scheduledFor).getTime();
}

export function finding(kind: AuditFinding['kind'], at: number, row: AuditRow | null, detail: string): AuditFinding {
  return { kind, scheduledFor: new Date(at), runId: row?.runId ?? null, detail };
}
