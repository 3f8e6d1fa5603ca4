import { type By, judgeRight, type Labels, namespaceObject, taskObject } from '@escapement/core';
import { type Database, taskLabels } from '@escapement/store';

/** Whether somebody may see a task, by its labels. */
export type Sees = (task: { name: string; labels: Labels | undefined }) => boolean;

/** Which tasks somebody may see. Null: all there are. */
export function tasksSeen({ namespace }: Pick<Database, 'namespace'>, { grants }: By): Sees | null {
  if (judgeRight(grants, 'read', namespaceObject(namespace)).allowed) return null;
  return ({ name, labels }) => judgeRight(grants, 'read', taskObject(namespace, name, labels)).allowed;
}

/** The names of the tasks that somebody may see, those that were deleted included. Null: of all there are. */
export async function namesSeen(db: Database, by: By): Promise<string[] | null> {
  const sees = tasksSeen(db, by);
  if (!sees) return null;
  return [...(await taskLabels(db, null))].flatMap(([name, labels]) => (sees({ name, labels }) ? [name] : []));
}
