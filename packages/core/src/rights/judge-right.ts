import { EscapementError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import type { Grant, Grants } from './grants.ts';
import { type Labels, matchesSelector } from './labels.ts';
import { RIGHTS_OF_ROLE, type Right } from './roles.ts';

/** What something is done to. */
export interface RightsObject {
  /** In words: `task nightly`, `pool db1`, `the namespace default`. */
  readonly what: string;
  readonly namespace: string;
  /** Those of the task; null: it is no task. */
  readonly labels: Labels | null;
}

/** A right that an act needs. */
export interface NeededRight {
  readonly right: Right;
  readonly object: RightsObject;
}

export type RightDecision =
  | { readonly allowed: true }
  /** `why`: what the grants that come nearest to it lack. */
  | { readonly allowed: false; readonly why: string };

/** Whether grants have a right on an object, and why not. Any one of them suffices. */
export function judgeRight(grants: Grants, right: Right, object: RightsObject): RightDecision {
  if (grants === 'all') return { allowed: true };
  if (grants.length === 0) return refused('nothing is granted to it');
  const here = grants.filter(({ namespace }) => namespace === object.namespace);
  if (here.length === 0)
    return refused(`its grants are for the namespace ${unique(grants.map(({ namespace }) => namespace))}`);
  const meant = here.filter(({ selector }) => selector === null || matchesSelector(selector, object.labels));
  if (meant.length === 0)
    return refused(`its grants are for tasks with ${unique(here.map(({ selector }) => selector?.text ?? ''))}`);
  if (meant.some((grant) => hasRight(grant, right))) return { allowed: true };
  return refused(`it is granted ${unique(meant.map(inWords))} there, without "${right}"`);
}

function hasRight({ role, rights }: Grant, right: Right): boolean {
  return RIGHTS_OF_ROLE[role].includes(right) || rights.some((extra) => extra === right);
}

function refused(why: string): RightDecision {
  return { allowed: false, why };
}

function unique(words: readonly string[]): string {
  return [...new Set(words)].join(' or ');
}

/** A grant in words: `operator with read-payload`. */
function inWords({ role, rights }: Grant): string {
  return rights.length > 0 ? `${role} with ${rights.join(', ')}` : role;
}

/** The first of several needs that grants do not meet. */
export function firstUnmet(grants: Grants, needs: readonly NeededRight[]): (NeededRight & { why: string }) | undefined {
  for (const need of needs) {
    const decision = judgeRight(grants, need.right, need.object);
    if (!decision.allowed) return { ...need, why: decision.why };
  }
  return undefined;
}

/** Says who lacks which right, on what, and why. */
export function notAllowed(
  { kind, name }: Principal,
  { right, object, why }: NeededRight & { why: string },
): EscapementError {
  return new EscapementError('not_allowed', `${kind} ${name} has not the right "${right}" on ${object.what}: ${why}`, {
    fix: 'ask an admin of the namespace, or use a token that has it; `escapement tokens list` shows them',
  });
}
