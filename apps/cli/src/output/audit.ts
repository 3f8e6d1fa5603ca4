import type { AuditEntry } from '@escapement/store';
import { inUtc } from './wording.ts';

/** Who did something: `ann@desk`, `deploy (ann@desk)` where ESCAPEMENT_ACTOR said so, `token ci`. */
export function principalWords({ kind, id, name }: AuditEntry['principal']): string {
  if (kind === 'user' || kind === 'token') return `${kind} ${name}`;
  return name === id ? name : `${name} (${id})`;
}

/** What people did, as lines below what it was done to; none where nobody did anything. */
export function auditLines(entries: readonly AuditEntry[]): string[] {
  if (entries.length === 0) return [];
  return ['', 'done by people:', ...entries.map((entry) => `  ${auditLine(entry)}`)];
}

function auditLine({ at, principal, action, reason, detail }: AuditEntry): string {
  const details = auditDetail(detail);
  return `${inUtc(at)} ${action} by ${principalWords(principal)}${details === '' ? '' : ` (${details})`}${reason ? `: ${reason}` : ''}`;
}

/** `slot 1, run 01a2…`; empty where there is none. */
export function auditDetail(detail: AuditEntry['detail']): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}
