import type { By, Principal } from '@escapement/core';
import { noteAct, toActing } from './audit-row.ts';
import { type Database, query } from './database.ts';

/** What a person or program did, or was refused. */
export interface AuditEntry {
  at: Date;
  /** Who did it. */
  principal: Principal;
  /**
   * Of runs `cancel`, `cancel batch`, `retry`, `redrive`, `resolve`, `recovery run`, `recovery drop`; of keys `release`, `state set`,
   * `state drop`; of tasks `save`, `save for later`, `drop pending change`, `rename`, `delete`, `trigger`, `pause`, `resume`; of lists `add`, `drop`; of
   * backfills `start`, `stop`, `resume`; of calendars `save`, `delete`; of pools `set`, `pause`, `resume`; of workers `drain`, `resume`; of requests `ask`, `pause`, `resume`, `cancel`; of namespaces `freeze`, `unfreeze`, `test-receiver`; of tokens `create`,
   * `revoke`; of heartbeats `create`, `edit`, `pause`, `resume`, `new url`, `delete`; of users `create`, `set password`, `delete`; of errors `resolve`, `mute`, `reopen`. What was refused has the name of the act, or `look`.
   */
  action: string;
  /** In their own words. */
  reason: string | null;
  detail: { [field: string]: unknown };
  /** What a definition or setting was and became, without secrets. Null: not kept for such an act, or there was none. */
  before: unknown;
  after: unknown;
  /** The request that it was part of: several acts may have the same. */
  requestId: string | null;
  /** It was not done, for want of a right; `detail` says of which. */
  refused: boolean;
}

/** What it was done to, by its id or name. */
export type AuditSubject =
  | { alert: string }
  | { alerting: string }
  | { run: string }
  | { key: string }
  | { task: string }
  | { list: string }
  | { backfill: string }
  | { calendar: string }
  | { error: string }
  | { heartbeat: string }
  | { pool: string }
  | { worker: string }
  | { request: string }
  | { namespace: string }
  | { user: string }
  | { token: string };

/** What people did to one of them, the latest first. */
export async function auditEntries(db: Database, subject: AuditSubject, limit = 100): Promise<AuditEntry[]> {
  return await query<AuditEntry & { [column: string]: unknown }>(
    db.pool,
    'audit_entries',
    `SELECT ${COLUMNS} FROM audit WHERE namespace = $1 AND subject = $2 ORDER BY id DESC LIMIT $3`,
    [db.namespace, textOf(subject), limit],
  );
}

/** An entry by itself, with what it was done to. */
export interface AuditLogEntry extends AuditEntry {
  /** Later entries have greater ones. */
  id: number;
  /** What it was done to, as `task:NAME`, `run:ID` and so on. */
  subject: string;
}

export interface AuditFilter {
  /** As `task:NAME`. */
  subject?: string;
  /** By their name or their id. */
  principal?: string;
  action?: string;
  /** Only what was done in this request: of the API, or an act on many. */
  requestId?: string;
  /** Only what was refused, or only what was done. Default: both. */
  refused?: boolean;
  /** Also what was done as a part of an act on many, which has an entry itself. Default: only where a subject, an action or a request is named. */
  parts?: boolean;
  since?: Date;
  until?: Date;
  /** Entries before the one of this id. */
  before?: number;
  limit: number;
}

/** What people did to anything of this namespace: the latest that match, the earliest of them first. */
export async function readAuditLog(db: Database, filter: AuditFilter): Promise<AuditLogEntry[]> {
  const rows = await query<AuditLogEntry & { [column: string]: unknown }>(db.pool, 'read_audit_log', READ_AUDIT_LOG, [
    db.namespace,
    filter.subject ?? null,
    filter.principal ?? null,
    filter.action ?? null,
    filter.since?.toISOString() ?? null,
    filter.until?.toISOString() ?? null,
    filter.limit,
    filter.refused ?? null,
    filter.parts ?? [filter.subject, filter.action, filter.requestId].some((named) => named !== undefined),
    filter.before ?? null,
    filter.requestId ?? null,
  ]);
  return rows.reverse();
}

const COLUMNS = `at, action, reason, detail, before, after, request_id AS "requestId", refused, jsonb_build_object(
  'kind', principal_kind, 'id', principal_id, 'name', principal_name, 'address', principal_address) AS principal`;

const READ_AUDIT_LOG = `
SELECT id::float8 AS id, subject, ${COLUMNS} FROM audit a
WHERE namespace = $1 AND ($2::text IS NULL OR subject = $2) AND ($3::text IS NULL OR $3 IN (principal_name, principal_id))
  AND ($4::text IS NULL OR action = $4) AND ($5::timestamptz IS NULL OR at >= $5)
  AND ($6::timestamptz IS NULL OR at < $6) AND ($8::boolean IS NULL OR refused = $8)
  AND ($9 OR request_id IS NULL OR NOT EXISTS (SELECT FROM audit o
    WHERE o.namespace = $1 AND o.subject = 'request:' || a.request_id AND o.action = 'ask'))
  AND ($10::bigint IS NULL OR a.id < $10::bigint) AND ($11::text IS NULL OR a.request_id = $11)
ORDER BY id DESC LIMIT $7`;

/** Notes what a person did that no statement of the ledger did. */
export async function recordAudit(
  db: Database,
  subject: AuditSubject,
  { action, detail, by }: Pick<AuditEntry, 'action' | 'detail'> & { by: By },
): Promise<void> {
  await query(db.pool, 'record_audit', RECORD_AUDIT, [
    db.namespace,
    toActing(by),
    action,
    textOf(subject),
    JSON.stringify(detail),
  ]);
}

/**
 * Notes that something was refused for want of a right: the same act on the same object once a minute, and at most 60 of a principal
 * within an hour, the last of which says so in `detail.more`.
 */
export async function recordRefusal(
  db: Database,
  subject: AuditSubject,
  { action, detail, by }: Pick<AuditEntry, 'action' | 'detail'> & { by: By },
): Promise<void> {
  await query(db.pool, 'record_refusal', 'SELECT note_refusal($1, $2::jsonb, $3, $4, $5::jsonb)', [
    db.namespace,
    toActing(by),
    action,
    textOf(subject),
    JSON.stringify(detail),
  ]);
}

const RECORD_AUDIT = noteAct({
  by: '$2',
  action: '$3::text',
  subject: '$4::text',
  detail: '$5::jsonb',
  from: '(VALUES (1)) one',
});

function textOf(subject: AuditSubject): string {
  const [[kind, name] = ['', '']] = Object.entries(subject);
  return `${kind}:${name}`;
}
