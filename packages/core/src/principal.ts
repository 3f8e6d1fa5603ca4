import { z } from 'zod';
import type { Grants } from './rights/grants.ts';

/**
 * What kind of thing acts: a person who has signed in, a program with a token, a process of the fleet (scheduler, worker, handler) or of
 * an application, or whoever has started the command line.
 */
export const PRINCIPAL_KINDS = ['user', 'token', 'process', 'cli'] as const;

export type PrincipalKind = (typeof PRINCIPAL_KINDS)[number];

/** They hold the password of the database, and may do everything. */
export const PRINCIPALS_OF_TRUST: readonly PrincipalKind[] = ['process', 'cli'];

/** Characters of a name or id at most; what is longer is refused where it comes from. */
export const MAX_PRINCIPAL_NAME = 200;

/** As principals come from outside, or back from Postgres. */
export const principal = z.strictObject({
  kind: z.enum(PRINCIPAL_KINDS),
  id: z.string().min(1).max(MAX_PRINCIPAL_NAME),
  name: z.string().min(1).max(MAX_PRINCIPAL_NAME),
  address: z.string().max(MAX_PRINCIPAL_NAME).nullable(),
});

/** Who acts. */
export interface Principal {
  readonly kind: PrincipalKind;
  /** Who it is: a user's or token's id, a process' name, `user@host` of the command line. Never chosen by whoever acts. */
  readonly id: string;
  /** As it is shown, and kept with runs and versions. */
  readonly name: string;
  /** From where: a host or an IP address. Null: not known. */
  readonly address: string | null;
}

/** As Postgres has kept it. Of a row that something else than this program has written, nobody who is known, with no rights of its own. */
export function readPrincipal(kept: unknown): Principal {
  return principal.safeParse(kept).data ?? { kind: 'user', id: 'unknown', name: 'unknown', address: null };
}

/** Who does something, and why. Each act of a person or program takes one. */
export interface By {
  readonly principal: Principal;
  /** What the principal may do. */
  readonly grants: Grants;
  /** In their own words; null: not said. */
  readonly reason: string | null;
  /** The request that it was part of, where there is one: several acts may have the same. */
  readonly requestId: string | null;
}

/**
 * The act of a principal; without a reason, or with an empty one, it is not said why. Processes of the fleet, and the command line
 * with the database's password, may do everything. A user or a token may do what is said by `grants`; without them, nothing.
 */
export function actionOf(principal: Principal, reason?: string | null, requestId: string | null = null): By {
  const grants = PRINCIPALS_OF_TRUST.includes(principal.kind) ? 'all' : [];
  return { principal, grants, reason: reason || null, requestId };
}

/** A process of the fleet or of an application, by its name. */
export function processPrincipal(name: string, address: string | null = null): Principal {
  return { kind: 'process', id: name, name, address };
}
