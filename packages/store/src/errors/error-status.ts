import type { By } from '@escapement/core';
import { noteAction, toActing } from '../audit-row.ts';
import { type Database, query } from '../postgres/database.ts';

/** What a person has said about failures that are taken for the same. */
export interface ErrorStatus {
  fingerprint: string;
  /** Nothing is to be done any more: what fails later is back. */
  resolvedAt: Date | null;
  /** Nobody wants to see it until then. */
  mutedUntil: Date | null;
  by: string;
  note: string | null;
  changedAt: Date;
}

/** What was said of these, by fingerprint. */
export async function errorStatuses(db: Database, fingerprints: readonly string[]): Promise<Map<string, ErrorStatus>> {
  const rows = await query<ErrorStatus & { [column: string]: unknown }>(
    db.pool,
    'error_stands',
    `SELECT fingerprint, resolved_at AS "resolvedAt", muted_until AS "mutedUntil", changed_by AS by, note, changed_at AS "changedAt"
     FROM error_stand WHERE namespace = $1 AND fingerprint = ANY ($2::text[])`,
    [db.namespace, fingerprints],
  );
  return new Map(rows.map((row) => [row.fingerprint, row]));
}

/** What is said of them from now on: resolved now, muted until an instant, or open again. */
export type ErrorChange = { kind: 'resolve' } | { kind: 'mute'; untilAt: Date } | { kind: 'reopen' };

/** Says it, with an entry of the audit. */
export async function changeErrorStatus(
  db: Database,
  fingerprint: string,
  { change, by }: { change: ErrorChange; by: By },
): Promise<void> {
  await query(db.pool, 'change_error_stand', CHANGE, [
    db.namespace,
    fingerprint,
    change.kind,
    change.kind === 'mute' ? change.untilAt.toISOString() : null,
    by.principal.name,
    by.reason,
    toActing(by),
  ]);
}

const CHANGE = `WITH said AS (
  INSERT INTO error_stand AS e (namespace, fingerprint, resolved_at, muted_until, changed_by, note, changed_at)
  VALUES ($1, $2, CASE WHEN $3::text = 'resolve' THEN now() END, $4::timestamptz, $5, $6, now())
  ON CONFLICT (namespace, fingerprint) DO UPDATE SET resolved_at = excluded.resolved_at, muted_until = excluded.muted_until,
    changed_by = excluded.changed_by, note = excluded.note, changed_at = excluded.changed_at
  RETURNING fingerprint
)
${noteAction({
  by: '$7',
  action: '$3::text',
  subject: "'error:' || s.fingerprint",
  detail: `CASE WHEN $4::timestamptz IS NULL THEN '{}'::jsonb ELSE jsonb_build_object('untilAt', $4::timestamptz) END`,
  from: 'said s',
})}`;
