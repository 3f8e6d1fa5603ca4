import { lackOf, type RolesReport, remedyFor } from '@escapement/store';
import { type Finding, ok, problem, warning } from './finding.ts';

const SUBJECT = 'Roles';

/** Says which programs may do more in Postgres than they need, where there are roles for them, and which may do less. */
export function judgeRoles({ prefix, users }: RolesReport): Finding[] {
  const lacking = users
    .filter(({ missing }) => missing.length > 0)
    .map((each) => problem(SUBJECT, lackOf(each), remedyFor(each, prefix)));
  if (prefix === null) return lacking;
  const mighty = users
    .filter(({ superuser, owner }) => superuser || owner)
    .map(({ program, user, superuser }) =>
      warning(
        SUBJECT,
        `${program === 'api' ? 'the command line' : `a ${program}`} is connected as "${user}", ${superuser ? 'a superuser' : 'who owns the tables'}: a thief of its password may do everything`,
        `give it a user of its own: CREATE ROLE ... LOGIN PASSWORD '...' IN ROLE ${prefix}${program}`,
      ),
    );
  const found = [...lacking, ...mighty];
  return found.length > 0 ? found : [ok(SUBJECT, `each program has the rights of its role (${prefix}...) alone`)];
}
