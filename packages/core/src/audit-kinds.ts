/** What an entry of the audit may be about, as the first word of its subject, such as `task:nightly`. */
export const AUDIT_KINDS = [
  'task',
  'run',
  'key',
  'pool',
  'worker',
  'list',
  'backfill',
  'calendar',
  'error',
  'request',
  'alert',
  /** A silence, by what it matches. */
  'alerts',
  /** The rules and receivers of alerts, by their namespace. */
  'alerting',
  'monitor',
  /** Where the ledger is, by its namespace. */
  'ledger',
  'namespace',
  'user',
  'token',
] as const;

export type AuditKind = (typeof AUDIT_KINDS)[number];
