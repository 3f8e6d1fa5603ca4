import type { By } from '@escapement/core';
import {
  firstUnmet,
  judgeRight,
  type LabelFilter,
  type LabelSelector,
  namespaceObject,
  notAllowed,
  taskObject,
} from '@escapement/core/rights';
import { type Database, taskLabels } from '@escapement/store';

type Here = Pick<Database, 'namespace'>;

/** Whether there may be tasks that somebody may see: all of the namespace, or those of a grant. */
export function seesSome(db: Here, by: By): boolean {
  return seesAll(db, by) || ownLabels(db, by).length > 0;
}

/**
 * What selects, of the tasks that are asked for, those that somebody may see: what is asked together with one of what is granted.
 * Undefined: all. Throws `not_allowed` for whom nothing is granted here.
 */
export function labelsSeen(db: Here, by: By, asked?: LabelSelector): LabelFilter | undefined {
  if (seesAll(db, by)) return asked;
  const own = ownLabels(db, by);
  if (own.length === 0) throw seesNone(db, by);
  if (!asked) return own;
  return own.map(({ text, terms }) => ({ text: `${text},${asked.text}`, terms: [...terms, ...asked.terms] }));
}

/** Stands for the name of a task that somebody may not see. */
const UNSEEN_TASK = '(a task you may not see)';

/** Runs as somebody may see them: of one whose task they may not see, no name and no reason. */
export async function asSeenBy<Run extends { taskName: string; reason: string | null }>(
  db: Database,
  by: By,
  runs: readonly Run[],
): Promise<Run[]> {
  const seen = await namesSeen(db, by, [...new Set(runs.map(({ taskName }) => taskName))]);
  return runs.map((run) => (seen.has(run.taskName) ? run : { ...run, taskName: UNSEEN_TASK, reason: null }));
}

/** Of names of tasks those that somebody may see. */
export async function namesSeen(db: Database, by: By, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (seesAll(db, by)) return new Set(names);
  const labels = await taskLabels(db, names);
  return new Set(
    names.filter((name) => judgeRight(by.grants, 'read', taskObject(db.namespace, name, labels.get(name))).allowed),
  );
}

/** Whether somebody may see all of the namespace. */
export function seesAll({ namespace }: Here, { grants }: By): boolean {
  return judgeRight(grants, 'read', namespaceObject(namespace)).allowed;
}

/** All roles may read: any one grant suffices. */
function ownLabels({ namespace }: Here, { grants }: By): LabelSelector[] {
  if (grants === 'all') return [];
  return grants.flatMap((grant) => (grant.namespace === namespace && grant.selector ? [grant.selector] : []));
}

function seesNone({ namespace }: Here, { grants, principal }: By): Error {
  const unmet = firstUnmet(grants, [{ right: 'read', object: namespaceObject(namespace) }]);
  return unmet ? notAllowed(principal, unmet) : new Error('sees all');
}
