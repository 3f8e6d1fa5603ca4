import { createHash, randomUUID } from 'node:crypto';
import { actionOf, type By, EscapementError, NAME } from '@escapement/core';
import { type GroupRole, type GroupRoles, grantOfGroups } from '@escapement/core/rights';
import {
  type Database,
  disableUser,
  findOidcUser,
  grantOidcUser,
  insertOidcUser,
  type OidcIdentity,
  type OidcUser,
  recordRefusal,
} from '@escapement/store';
import { toGrant } from './grant.ts';
import { beginSession, type SignedIn } from './sessions.ts';

/** Somebody as their OpenID provider has proven them to be. */
export interface ProvenIdentity extends OidcIdentity {
  /** What they are called there. Anybody may be called so: it tells nobody from others. */
  name: string | null;
  groups: readonly string[];
}

export interface ProviderSignInAsked {
  identity: ProvenIdentity;
  /** What groups are granted. */
  groupRoles: GroupRoles;
  address: string;
  now: Date;
  requestId: string | null;
  /** The hash of the session that the browser had: it ends. Null: it had none. */
  before: Buffer | null;
}

/**
 * Begins a session of somebody whom an OpenID provider has proven. They are found by issuer and subject alone, made at their first sign-in,
 * and granted what their groups say now. Without such a group, all their sessions end. Throws `no_group_role`, `user_disabled`; both are in the audit.
 */
export async function signInByProvider(
  db: Database,
  asked: ProviderSignInAsked,
): Promise<SignedIn & { secret: string }> {
  const { identity, groupRoles, address } = asked;
  const known = await findOidcUser(db, identity);
  if (known?.disabled === 'by-admin') throw await userDisabled(db, known, asked);
  const granted = grantOfGroups(identity.groups, groupRoles);
  if (!granted) throw await withoutRole(db, known, asked);
  const user = known ? await withGrant(db, known, granted, asked) : await firstSignIn(db, granted, asked);
  const principal = { kind: 'user', id: user.id, name: user.name, address } as const;
  const proven = { principal, grants: [toGrant(db.namespace, user)], passwordAt: user.passwordAt };
  const begun = await beginSession(db, proven, asked);
  if (!begun) throw await userDisabled(db, user, asked);
  return begun;
}

async function withGrant(
  db: Database,
  known: OidcUser,
  granted: GroupRole,
  asked: ProviderSignInAsked,
): Promise<OidcUser> {
  const { role, rights, scope } = granted;
  await grantOidcUser(db, known.id, { role, rights, scope }, actsAs(known, asked));
  return { ...known, role, rights, scope };
}

/** Nobody takes over the name of another user: whoever comes later gets one of their own. */
async function firstSignIn(db: Database, granted: GroupRole, asked: ProviderSignInAsked): Promise<OidcUser> {
  const { identity } = asked;
  const { issuer, subject } = identity;
  const { role, rights, scope } = granted;
  for (const name of namesFor(identity)) {
    const id = randomUUID();
    const by = actsAs({ id, name }, asked);
    await insertOidcUser(db, { id, name, issuer, subject, role, rights, scope, by });
    // Also where another replica was faster with the same person.
    const made = await findOidcUser(db, identity);
    if (made) return made;
  }
  throw new EscapementError('name_taken', 'there is another user of this name', { fix: 'ask an admin to delete them' });
}

/** What somebody may be called here, most wanted first. */
function namesFor({ issuer, subject, name }: ProvenIdentity): string[] {
  const own = createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
    .slice(0, 16);
  const wanted = name !== null && NAME.test(name) ? [name, `${name.slice(0, 180)}-${own}`] : [];
  return [...wanted, `oidc-${own}`];
}

async function withoutRole(db: Database, known: OidcUser | null, asked: ProviderSignInAsked): Promise<EscapementError> {
  const who = whoOf(known, asked);
  if (known) await disableUser(db, known.id, { why: 'no-group', by: actsAs(who, asked) });
  await noteRefused(db, who, asked, 'no group that has a role');
  return new EscapementError('no_group_role', 'you are in no group that may do anything here', {
    fix: 'ask an admin: ESCAPEMENT_OIDC_GROUPS says which groups may what',
  });
}

async function userDisabled(db: Database, known: OidcUser, asked: ProviderSignInAsked): Promise<EscapementError> {
  await noteRefused(db, known, asked, 'the user is disabled');
  return new EscapementError('user_disabled', 'you may not sign in here any more', { fix: 'ask an admin' });
}

type Who = Pick<OidcUser, 'id' | 'name'>;

function whoOf(known: OidcUser | null, { identity }: ProviderSignInAsked): Who {
  return known ?? { id: 'nobody', name: namesFor(identity)[0] ?? 'nobody' };
}

async function noteRefused(db: Database, who: Who, asked: ProviderSignInAsked, why: string): Promise<void> {
  const { issuer, subject } = asked.identity;
  const detail = { why, issuer, subject };
  await recordRefusal(db, { user: who.name }, { action: 'sign in', detail, by: actsAs(who, asked) });
}

function actsAs({ id, name }: Who, { address, requestId }: ProviderSignInAsked): By {
  return { ...actionOf({ kind: 'user', id, name, address }, null, requestId), grants: [] };
}
