import type { By } from '@escapement/core';

/** Who acts, why and in which request, as one parameter of a statement: `acting($n)` reads it. */
export function toActing({ principal, reason, requestId }: By): string {
  return JSON.stringify({ ...principal, reason, request_id: requestId });
}

/** Of whom a parameter of `toActing` is, as it is kept with what they did: a name. */
export const nameIn = (parameter: string) => `(${parameter}::jsonb->>'name')`;

/** Why, in their own words, or null. */
export const reasonIn = (parameter: string) => `(${parameter}::jsonb->>'reason')`;

interface NotedAction {
  /** The parameter of `toActing`. */
  by: string;
  /** An expression of SQL, as the following ones. */
  action: string;
  /** As `'task:' || name`. */
  subject: string;
  detail?: string;
  before?: string;
  after?: string;
  refused?: string;
  /** Rows of the statement that did it: an entry for each. */
  from: string;
  /** Default `$1`. */
  namespace?: string;
}

/** The INSERT of an entry of the audit, for the statement that does the act. */
export function noteAction({ by, action, subject, from, ...more }: NotedAction): string {
  const {
    namespace = '$1',
    detail = `'{}'::jsonb`,
    before = 'NULL::jsonb',
    after = 'NULL::jsonb',
    refused = 'false',
  } = more;
  return `INSERT INTO audit (principal_kind, principal_id, principal_name, principal_address, reason, request_id,
    namespace, action, subject, detail, before, after, refused)
  SELECT who.*, ${namespace}::text, ${action}, ${subject}, ${detail}, ${before}, ${after}, ${refused} FROM ${from}, acting(${by}::jsonb) who`;
}
