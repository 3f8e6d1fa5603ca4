import { type ExtraRight, type Grant, parseSelector, type Role } from '@escapement/core/rights';
import type { KeptGrant } from '@escapement/store';

/** What somebody is to be granted in the namespace. */
export interface Granted {
  role: Role;
  /** Beside those of the role. Default: none. */
  rights?: readonly ExtraRight[] | undefined;
  /** The tasks it is for, as a label selector. Default: all, and all else in the namespace. */
  scope?: string | undefined;
}

/** As it is kept. Throws `bad_selector`. */
export function toKept({ role, rights = [], scope }: Granted): KeptGrant {
  return { role, rights: [...new Set(rights)].sort(), scope: scope === undefined ? null : parseSelector(scope).text };
}

/** As it is judged. */
export function toGrant(namespace: string, { role, rights, scope }: KeptGrant): Grant {
  return { role, rights, namespace, selector: scope === null ? null : parseSelector(scope) };
}
