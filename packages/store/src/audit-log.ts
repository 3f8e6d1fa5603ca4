import { type Database, query } from './database.ts';

/** What a person did to a run or a key. */
export interface AuditEntry {
  at: Date;
  /** Who did it, as `user@host`. */
  actor: string;
  /** `cancel`, `retry`, `redrive`, `resolve`, `release`, `recovery run`, `recovery drop`. */
  action: string;
  /** In their own words. */
  reason: string | null;
  detail: { [field: string]: unknown };
}

export type AuditSubject = { run: string } | { key: string };

/** What people did to a run or a key, the latest first. */
export async function auditEntries(db: Database, subject: AuditSubject, limit = 100): Promise<AuditEntry[]> {
  return await query<AuditEntry & { [column: string]: unknown }>(
    db.pool,
    'audit_entries',
    `SELECT at, actor, action, reason, detail FROM audit WHERE namespace = $1 AND subject = $2 ORDER BY id DESC LIMIT $3`,
    [db.namespace, textOf(subject), limit],
  );
}

/** Notes what a person did that no statement of the ledger did. */
export async function recordAudit(db: Database, subject: AuditSubject, entry: Omit<AuditEntry, 'at'>): Promise<void> {
  await query(
    db.pool,
    'record_audit',
    `INSERT INTO audit (namespace, actor, action, subject, reason, detail) VALUES ($1, $2, $3, $4, $5, $6::jsonb)`,
    [db.namespace, entry.actor, entry.action, textOf(subject), entry.reason, JSON.stringify(entry.detail)],
  );
}

function textOf(subject: AuditSubject): string {
  return 'run' in subject ? `run:${subject.run}` : `key:${subject.key}`;
}
