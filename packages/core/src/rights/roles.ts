/** What a principal may do to an object. */
export const RIGHTS = [
  /** To see tasks, runs, keys and pools: what, when, and how it ended. */
  'read',
  /** To see payloads, outputs, states, items of lists, logs, and the audit. */
  'read-payload',
  /** To tell what cron has started on a host, and to answer for the host who runs a line. */
  'report',
  /** To start runs, by hand or by a backfill, and to have a task follow another. */
  'trigger',
  /** To end runs, also by releasing the key that they hold, by stopping their backfill, or by dropping held ones. */
  'cancel',
  /** To run ended runs again, to resolve one, to let held ones go. */
  'rerun',
  /** To pause, resume and skip. */
  'pause',
  /** To save and delete tasks and calendars, and what is said of a pool. */
  'edit',
  /** To change states and lists. */
  'write-data',
  /** To save a task that runs a shell command. */
  'shell',
  /** To save a task that runs as another user of the operating system. */
  'run-as',
  /** To save a task that names secrets of workers. */
  'secrets',
  /** To save a task that tells webhooks. */
  'webhooks',
  /** To make and revoke users and tokens. */
  'access',
] as const;

export type Right = (typeof RIGHTS)[number];

export const ROLES = ['reporter', 'viewer', 'operator', 'editor', 'admin'] as const;

export type Role = (typeof ROLES)[number];

/** Rights that a grant may have beside its role. */
export const EXTRA_RIGHTS = ['read-payload', 'shell', 'run-as', 'secrets', 'webhooks'] as const;

export type ExtraRight = (typeof EXTRA_RIGHTS)[number];

const REPORTER: readonly Right[] = ['report'];
const VIEWER: readonly Right[] = ['read'];
const OPERATOR: readonly Right[] = [...VIEWER, ...REPORTER, 'trigger', 'cancel', 'rerun', 'pause'];
const EDITOR: readonly Right[] = [...OPERATOR, 'edit', 'write-data'];

/** What each role may do by itself. */
export const RIGHTS_OF_ROLE: { readonly [Each in Role]: readonly Right[] } = {
  reporter: REPORTER,
  viewer: VIEWER,
  operator: OPERATOR,
  editor: EDITOR,
  admin: RIGHTS,
};
