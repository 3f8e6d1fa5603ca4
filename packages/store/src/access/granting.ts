import { noteAction } from '../audit-row.ts';

/**
 * The beginning of a statement that grants whom `found` finds another role, rights and scope (`$3` to `$5`), and notes what they had; `$6`: who
 * does it. `old`: whom it has found, `changed`: who has something else now. `sets`, `unless`: what more is set, and makes a difference.
 */
export const granting = (found: string, { sets = '', unless = 'false' } = {}): string => `
WITH old AS (
  SELECT id, role, rights, scope, disabled FROM access_user WHERE namespace = $1 AND ${found} FOR UPDATE
), changed AS (
  UPDATE access_user u SET role = $3, rights = $4::text[], scope = $5${sets} FROM old o
  WHERE u.id = o.id AND ((o.role, o.rights, o.scope) IS DISTINCT FROM ($3::text, $4::text[], $5::text) OR ${unless})
  RETURNING u.name, jsonb_build_object('role', o.role, 'rights', o.rights, 'scope', o.scope) AS was
), noted AS (
  ${noteAction({
    by: '$6',
    action: "'grant'",
    subject: "'user:' || c.name",
    before: 'c.was',
    after: `jsonb_build_object('role', $3::text, 'rights', $4::text[], 'scope', $5::text)`,
    from: 'changed c',
  })}
)`;
