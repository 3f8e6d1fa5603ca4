import { z } from 'zod';
import { EscapementError } from '../errors.ts';
import { parseSelector } from './labels.ts';
import { EXTRA_RIGHTS, type ExtraRight, ROLES, type Role } from './roles.ts';

/** What the members of a group of an OpenID provider are granted. */
export interface GroupRole {
  /** As the provider calls it: a name, a path, an id. */
  group: string;
  role: Role;
  /** Beside those of the role. */
  rights: ExtraRight[];
  /** The tasks it is for, as a label selector; null: all, and all else in the namespace. */
  scope: string | null;
}

/** `ESCAPEMENT_OIDC_GROUPS`. */
export interface GroupRoles {
  /** The first of whose group somebody is a member counts. */
  roles: readonly GroupRole[];
  /** As it was written. */
  toString(): string;
}

export const GROUP_ROLES_ALLOWED = `a JSON list of { "group": NAME, "role": ${ROLES.join(' | ')} }, with "rights" (a list) and "scope" (a label selector) where wanted, no group twice`;

const groupRoles = z
  .array(
    z.strictObject({
      group: z.string().min(1).max(500),
      role: z.enum(ROLES),
      rights: z.array(z.enum(EXTRA_RIGHTS)).default([]),
      scope: z.string().optional(),
    }),
  )
  .min(1)
  .max(1000);

/** Reads `ESCAPEMENT_OIDC_GROUPS`. Throws `bad_group_roles`, `bad_selector`. */
export function parseGroupRoles(text: string): GroupRoles {
  const { data } = groupRoles.safeParse(jsonOf(text));
  if (!data || new Set(data.map(({ group }) => group)).size < data.length)
    throw new EscapementError('bad_group_roles', 'the roles of groups cannot be read', { fix: GROUP_ROLES_ALLOWED });
  const roles = data.map(({ rights, scope, ...each }) => ({
    ...each,
    rights: [...new Set(rights)].sort(),
    scope: scope === undefined ? null : parseSelector(scope).text,
  }));
  return { roles, toString: () => text.trim() };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What somebody with these groups is granted: by the first entry that names one of them. Null: nothing. */
export function grantOfGroups(groups: readonly string[], { roles }: Pick<GroupRoles, 'roles'>): GroupRole | null {
  const theirs = new Set(groups);
  return roles.find(({ group }) => theirs.has(group)) ?? null;
}
