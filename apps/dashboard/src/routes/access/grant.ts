import type { components } from '../../api/generated/openapi.ts';
import type { Me } from '../../me/me.ts';

export type User = components['schemas']['Users']['items'][number];
export type Token = components['schemas']['Tokens']['items'][number];
export type Role = User['role'];
export type ExtraRight = User['rights'][number];

/** What a user or token is to be granted, as it is being written. */
export interface Grant {
  role: Role;
  rights: readonly ExtraRight[];
  /** Labels; empty: all tasks. */
  scope: string;
}

export const LEAST: Grant = { role: 'viewer', rights: [], scope: '' };

/** As the API takes it. An admin has all rights by the role. */
export function grantedOf({ role, rights, scope }: Grant) {
  const labels = scope.trim();
  return { role, rights: role === 'admin' ? [] : [...rights], ...(labels === '' ? {} : { scope: labels }) };
}

/** Whether they could still make users: with the right for all tasks, and let in. */
export const canGrant = ({ role, scope, disabled }: Pick<User, 'role' | 'scope' | 'disabled'>): boolean =>
  role === 'admin' && scope === null && disabled === null;

/** Whether nobody else could make users, were it not for this one. */
export function isLastAdmin(user: Pick<User, 'id'>, users: readonly User[]): boolean {
  const admins = users.filter(canGrant);
  return admins.length === 1 && admins[0]?.id === user.id;
}

/** Whether it is who is signed in. */
export const isSelf = ({ principal }: Me, { id }: User): boolean => principal.kind === 'user' && principal.id === id;
