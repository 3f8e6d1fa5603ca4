import type { AuditKind, By, Principal } from '@escapement/core';
import { noteAction, toActing } from './audit-row.ts';
import { type Database, query } from './postgres/database.ts';

/** What a person or program did, or was refused. */
export interface AuditEntry {
  at: Date;
  /** Who did it. */
  principal: Principal;
  /**
   * Of runs `cancel`, `cancel batch`, `retry`, `redrive`, `resolve`, `recovery run`, `recovery drop`; of keys `release`, `state set`,
   * `state drop`; of tasks `save`, `save for later`, `drop pending change`, `rename`, `delete`, `trigger`, `pause`, `resume`; of lists `add`, `drop`; of
   * backfills `start`, `stop`, `resume`; of calendars `save`, `delete`; of pools `set`, `pause`, `resume`; of workers `drain`, `resume`; of requests `ask`, `pause`, `resume`, `cancel`; of namespaces `freeze`, `unfreeze`, `test-receiver`; of tokens `create`,
   * `revoke`; of monitors `create`, `edit`, `pause`, `resume`, `new url`, `delete`; of users `create`, `set password`, `delete`; of errors `resolve`, `mute`, `reopen`. What was refused has the name of the act, or `look`.
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
export type AuditSubject = { [Kind in AuditKind]: Record<Kind, string> }[AuditKind];

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
  /** Only what was done in this request: of the API, or a bulk action. */
  requestId?: string;
  /** Only what was refused, or only what was done. Default: both. */
  refused?: boolean;
  /** Also what was done as a part of a bulk action, which has an entry itself. Default: only where a subject, an action or a request is named. */
  parts?: boolean;
  since?: Date;
  until?: Date;
  /** Entries before the one of this id. */
  before?: number;
  limit: number;
}

/** What people did to anything of this namespace: the latest that match, the earliest of them first. */
export async function readAuditLog(db: Database, filter: AuditFilter): Promise<AuditLogEntry[]> {
  const { text, values } = auditPage(db, filter);
  // Planned anew each time: a plan for any bounds would be good for none.
  const rows = await query<AuditLogEntry & { [column: string]: unknown }>(db.pool, '', text, values);
  return rows.reverse();
}

function auditPage(db: Database, filter: AuditFilter): { text: string; values: unknown[] } {
  const { subject, principal, action, requestId, refused, since, until, before, limit } = filter;
  const { parts = [subject, action, requestId].some((named) => named !== undefined) } = filter;
  const values: unknown[] = [db.namespace, limit];
  const add = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const conditions = [
    'a.namespace = $1',
    ...(subject === undefined ? [] : [`a.subject = ${add(subject, 'text')}`]),
    ...(action === undefined ? [] : [`a.action = ${add(action, 'text')}`]),
    ...(requestId === undefined ? [] : [`a.request_id = ${add(requestId, 'text')}`]),
    ...(before === undefined ? [] : [`a.id < ${add(before, 'bigint')}`]),
    ...(refused === undefined ? [] : [refused ? 'a.refused' : 'NOT a.refused']),
    ...(since === undefined ? [] : [`a.at >= ${add(since.toISOString(), 'timestamptz')}`]),
    ...(until === undefined ? [] : [`a.at < ${add(until.toISOString(), 'timestamptz')}`]),
    ...(parts ? [] : [IS_NO_PART]),
  ].join(' AND ');
  const page = (more: string) => `SELECT a.* FROM audit a WHERE ${conditions}${more} ORDER BY a.id DESC LIMIT $2`;
  if (principal === undefined) return { text: `${AUDIT_LOG} (${page('')}) a ORDER BY id DESC`, values };
  // Each has an index.
  const who = add(principal, 'text');
  const ways = [` AND a.principal_name = ${who}`, ` AND a.principal_id = ${who} AND a.principal_name <> ${who}`];
  const both = ways.map((way) => `(${page(way)})`).join(' UNION ALL ');
  return { text: `${AUDIT_LOG} (${both}) a ORDER BY id DESC LIMIT $2`, values };
}

/** No part of a bulk action, which has an entry itself. Looked up for each that is shown, not for all at once. */
const IS_NO_PART = `(a.request_id IS NULL OR (SELECT o.id FROM audit o
    WHERE o.namespace = $1 AND o.subject = 'request:' || a.request_id AND o.action = 'ask' ORDER BY o.id LIMIT 1) IS NULL)`;

const COLUMNS = `at, action, reason, detail, before, after, request_id AS "requestId", refused, jsonb_build_object(
  'kind', principal_kind, 'id', principal_id, 'name', principal_name, 'address', principal_address) AS principal`;

const AUDIT_LOG = `SELECT id::float8 AS id, subject, ${COLUMNS} FROM`;

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

const RECORD_AUDIT = noteAction({
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
