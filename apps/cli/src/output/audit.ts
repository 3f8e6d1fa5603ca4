import type { AuditEntry } from '@escapement/store';
import { inUtc } from './wording.ts';

/** What people did, as lines below what it was done to; none where nobody did anything. */
export function auditLines(entries: readonly AuditEntry[]): string[] {
  if (entries.length === 0) return [];
  return ['', 'done by people:', ...entries.map((entry) => `  ${auditLine(entry)}`)];
}

function auditLine({ at, actor, action, reason, detail }: AuditEntry): string {
  const details = auditDetail(detail);
  return `${inUtc(at)} ${action} by ${actor}${details === '' ? '' : ` (${details})`}${reason ? `: ${reason}` : ''}`;
}

/** `slot 1, run 01a2…`; empty where there is none. */
export function auditDetail(detail: AuditEntry['detail']): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}
